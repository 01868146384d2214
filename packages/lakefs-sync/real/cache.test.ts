import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { SyncWorker } from "../src/transfer/sync-worker.ts";
import { realBench, realConnection } from "./server.ts";

const { client, repository, folder, put, commitMain } = await realBench();

function worker(root: string, minFreeBytes = 0): SyncWorker {
  const sync = new SyncWorker({ connection: realConnection(), cache: { root, maxSizeBytes: 1024 ** 3, minFreeBytes } });
  onTestFinished(() => sync.close());
  return sync;
}

function contentCount(root: string): number {
  const objects = join(root, "objects");
  return readdirSync(objects).reduce((count, shard) => count + readdirSync(join(objects, shard)).length, 0);
}

test("what one step published and what it left alone are in the cache for the next step, under the merged commit", async () => {
  for (const name of ["a", "b", "c"]) await put(`steps/${name}`, name.repeat(1_000));
  const input = await commitMain("input");
  const root = folder("cache");
  const first = worker(root);
  const home = folder("first");
  const { workspaceId } = await first.syncIn({ repository, commitId: input, prefix: "steps", folder: home });
  writeFileSync(join(home, "a"), "changed");
  writeFileSync(join(home, "new"), "new");
  const { digest } = await first.project({ workspaceId });
  await client.createBranch(repository, { name: "stg-cache", sourceCommitId: input, hidden: true });
  await first.stage({ workspaceId, digest, branch: "stg-cache", baseCommitId: input });
  const staged = await client.commitOnce(repository, "stg-cache", { message: "staged", baseCommitId: input });
  const merge = {
    sourceRef: staged.id,
    destinationBranch: "main",
    message: "confirm",
    metadata: {},
    squashMerge: true,
  };
  const { reference } = await client.mergeIntoBranch(repository, merge);
  await first.release({ workspaceId });
  // Four, and the first version of `a` where the cache was faster than this test.
  const keptCount = contentCount(root);
  expect(keptCount).toBeGreaterThanOrEqual(4);
  const second = worker(root);
  const next = folder("second");
  const job = { repository, commitId: reference, prefix: "steps", folder: next };
  const { workspaceId: nextId, cachedCount } = await second.syncIn(job);
  expect(cachedCount).toBe(4);
  expect(readFileSync(join(next, "a"), "utf8")).toBe("changed");
  expect(readFileSync(join(next, "new"), "utf8")).toBe("new");
  expect(readFileSync(join(next, "b"), "utf8")).toBe("b".repeat(1_000));
  expect(await second.project({ workspaceId: nextId })).toMatchObject({ noop: true, hashedCount: 0 });
  await second.release({ workspaceId: nextId });
  // Nothing was filled: all of it was there.
  expect(contentCount(root)).toBe(keptCount);
});

test("a full disk while the cache is filled: the attempt's folder is right, and the cache holds nothing half-written", async () => {
  const bytes = Buffer.alloc(3_000_000, "x");
  await put("full/big", bytes);
  const commitId = await commitMain("full");
  const root = folder("small-cache");
  mkdirSync(root, { mode: 0o700 });
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m,mode=0700", "tmpfs", root]);
  // The test needs the right to mount: no other folder is full in the same way.
  expect(mounted.status, `mount: ${String(mounted.stderr)}`).toBe(0);
  try {
    const sync = worker(root);
    for (const name of ["full-1", "full-2"]) {
      const { workspaceId } = await sync.syncIn({ repository, commitId, prefix: "full", folder: folder(name) });
      expect(readFileSync(join(folder(name), "big")).equals(bytes)).toBe(true);
      expect(await sync.project({ workspaceId })).toMatchObject({ noop: true });
      await sync.release({ workspaceId });
    }
    expect([contentCount(root), readdirSync(join(root, "tmp"))]).toEqual([0, []]);
  } finally {
    spawnSync("umount", [root]);
  }
});
