import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { realBench } from "./server.ts";

const { client, sync, repository, folder, put, commitMain } = await realBench();

test("rule T4 rule T13: a changed, a new and a deleted file are staged exactly and nothing else is", async () => {
  await put("data/a.txt", "one");
  await put("data/deep/b.txt", "two");
  await put("data/c.txt", "three");
  await put("data-old/x", "old");
  const input = await commitMain("input");
  const home = folder("t4");
  const synced = await sync.syncIn({ repository, commitId: input, prefix: "/data", folder: home });
  expect(synced.paths.toSorted()).toEqual(["a.txt", "c.txt", "deep/b.txt"]);
  const { workspaceId } = synced;
  expect((await sync.project({ workspaceId })).noop).toBe(true);
  writeFileSync(join(home, "a.txt"), "ONE");
  mkdirSync(join(home, "new"));
  writeFileSync(join(home, "new/d.txt"), "four");
  rmSync(join(home, "c.txt"));
  const projected = await sync.project({ workspaceId });
  expect(projected).toMatchObject({ noop: false, uploadCount: 2, deleteCount: 1, unchangedCount: 1 });
  await client.createBranch(repository, { name: "stg-1", sourceCommitId: input, hidden: true });
  const staged = await sync.stage({ workspaceId, digest: projected.digest, branch: "stg-1", baseCommitId: input });
  expect(staged).toMatchObject({ uploadedCount: 2, deletedCount: 1, unchangedCount: 1, changedPathCount: 3 });
  const commit = await client.commit(repository, "stg-1", { message: "staged", metadata: { k: "v" } });
  await sync.verifyStaging({ workspaceId, stagingCommitId: commit.id });
  expect(await sync.compare({ workspaceId, commitId: commit.id })).toEqual({ equal: true });
  expect((await sync.compare({ workspaceId, commitId: input })).equal).toBe(false);
  const merged = await client.mergeIntoBranch(repository, {
    sourceRef: commit.id,
    destinationBranch: "main",
    message: "confirm",
    metadata: { k: "v" },
    squashMerge: true,
  });
  expect((await client.getCommit(repository, merged.reference)).parents).toEqual([input]);
  const again = folder("again");
  await sync.syncIn({ repository, commitId: merged.reference, prefix: "", folder: again });
  expect(readFileSync(join(again, "data-old/x"), "utf8")).toBe("old");
  expect(readFileSync(join(again, "data/a.txt"), "utf8")).toBe("ONE");
});
