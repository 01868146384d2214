import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { failureFrom } from "../test/fake-http.ts";
import { realBench } from "./server.ts";

const { client, sync, repository, folder, put, commitMain, stageAll, objectsOf } = await realBench();

test("case B12: 2001 objects come in, and one changed is one upload", async () => {
  const keys = Array.from({ length: 2001 }, (_, index) => `many/${index % 7}/${index}`);
  for (let start = 0; start < keys.length; start += 50) {
    await Promise.all(keys.slice(start, start + 50).map((key) => put(key, key)));
  }
  const commitId = await commitMain("many");
  const home = folder("many");
  const { workspaceId, fileCount } = await sync.syncIn({ repository, commitId, prefix: "many", folder: home });
  expect(fileCount).toBe(2001);
  writeFileSync(join(home, "0/0"), "changed");
  expect(await stageAll(workspaceId, commitId)).toMatchObject({ uploadedCount: 1, unchangedCount: 2000 });
  for (const name of readdirSync(join(home, "1"))) writeFileSync(join(home, "1", name), "x");
  for (const name of ["0", "2", "3", "4", "5"]) rmSync(join(home, name), { recursive: true });
  const staged = await stageAll(workspaceId, commitId);
  expect(staged.deletedCount).toBeGreaterThan(1000);
  expect(Object.keys(await objectsOf(staged.commitId, "many/")).length).toBe(2001 - staged.deletedCount);
});

test("case L16 rule T2: what is written to the branch meanwhile, committed or not, never comes in", async () => {
  await put("pin/a", "one");
  const commitId = await commitMain("pin");
  await put("pin/a", "uncommitted");
  await put("pin/b", "uncommitted");
  const home = folder("pin");
  await sync.syncIn({ repository, commitId, prefix: "pin", folder: home });
  expect([readdirSync(home), readFileSync(join(home, "a"), "utf8")]).toEqual([["a"], "one"]);
  await commitMain("clean up");
});

test("case T05 case T04 case B17: times and modes are no change, a second equal run changes no entry", async () => {
  await put("times/a", "one");
  const commitId = await commitMain("times");
  const home = folder("times");
  const { workspaceId } = await sync.syncIn({ repository, commitId, prefix: "times", folder: home });
  utimesSync(join(home, "a"), 1, 1);
  chmodSync(join(home, "a"), 0o755);
  expect((await sync.project({ workspaceId })).noop).toBe(true);
  writeFileSync(join(home, "new"), "deterministic");
  const first = await stageAll(workspaceId, commitId);
  const second = await stageAll(workspaceId, first.commitId);
  expect(second).toMatchObject({ uploadedCount: 0, deletedCount: 0, changedPathCount: 0 });
  const again = await stageAll(workspaceId, commitId);
  const differences = [];
  for await (const page of client.diffRefs(repository, first.commitId, again.commitId)) differences.push(...page);
  expect(differences).toEqual([]);
});

test("case T01 case T04 rule T7: links, a FIFO and an unreadable file fail, all named", async () => {
  const commitId = (await client.getBranch(repository, "main")).commit_id;
  const home = folder("links");
  const { workspaceId } = await sync.syncIn({ repository, commitId, prefix: "links", folder: home });
  writeFileSync(join(home, "closed"), "x", { mode: 0o000 });
  symlinkSync("a.txt", join(home, "l"));
  symlinkSync("../..", join(home, "d"));
  spawnSync("mkfifo", [join(home, "fifo")]);
  const error = await failureFrom(() => sync.project({ workspaceId }));
  expect(error).toMatchObject({
    code: "folder_unstageable",
    names: expect.arrayContaining(["closed", "d", "fifo", "l"]),
  });
});

test("case T02: symlink metadata on an object makes a plain file", async () => {
  const bytes = Buffer.from("plain");
  const metadata = { "::lakefs::symlink-target": "/etc/passwd" };
  const source = { sizeBytes: bytes.length, open: () => bytes };
  const attributes = { contentType: "text/plain", metadata };
  await client.uploadObject({ repository, branch: "main", path: "sym/l", source, attributes });
  const commitId = await commitMain("symlink metadata");
  expect((await client.statObject(repository, commitId, "sym/l")).metadata).toEqual(metadata);
  const home = folder("sym");
  const { workspaceId } = await sync.syncIn({ repository, commitId, prefix: "sym", folder: home });
  expect(readFileSync(join(home, "l"), "utf8")).toBe("plain");
  expect((await sync.project({ workspaceId })).noop).toBe(true);
});

test.for([
  ["plain", "text/csv", { owner: "me", "::lakefs::client-mtime": "1" }],
  ["odd-metadata", "text/csv", { Owner: "Größe", empty: "", blank: " x " }],
  ["odd-type", "multipart/form-data", {}],
  ["no-type-syntax", "wörd", { a: "b" }],
] as [string, string, Record<string, string>][])(
  "rule T12: a changed file keeps content type and metadata (%s)",
  async ([name, contentType, metadata]) => {
    const bytes = Buffer.from("one");
    const path = `record-${name}/f`;
    const source = { sizeBytes: bytes.length, open: () => bytes };
    await client.uploadObject({ repository, branch: "main", path, source, attributes: { contentType, metadata } });
    const commitId = await commitMain(name);
    expect(await client.statObject(repository, commitId, path)).toMatchObject({ content_type: contentType, metadata });
    const home = folder(name);
    const { workspaceId } = await sync.syncIn({ repository, commitId, prefix: `record-${name}`, folder: home });
    writeFileSync(join(home, "f"), "two");
    const staged = await stageAll(workspaceId, commitId);
    expect(await client.statObject(repository, staged.commitId, path)).toMatchObject({
      content_type: contentType,
      metadata,
      size_bytes: 3,
    });
    expect(await objectsOf(staged.commitId, path)).toEqual({ [path]: "two" });
  },
);

test("case L17: commit metadata of long and non-ASCII values reads back as it was", async () => {
  const metadata = { "perago.task_def_name": "ü".repeat(200), "perago.workflow": "w".repeat(200), "x.empty": "" };
  await put("meta/a", "1");
  const { id } = await client.commit(repository, "main", { message: "Grüße\n\nzwei", metadata });
  const found = await client.getCommit(repository, id);
  expect([found.metadata, found.message]).toEqual([metadata, "Grüße\n\nzwei"]);
});

test("case B12: a log longer than a page is walked by first parents, and stops where it is told", async () => {
  const { commit_id: start } = await client.getBranch(repository, "main");
  await client.createBranch(repository, { name: "long-log", sourceCommitId: start });
  for (let index = 0; index < 1100; index += 1) {
    await client.commit(repository, "long-log", { message: `${index}`, allowEmpty: true });
  }
  const { commit_id: head } = await client.getBranch(repository, "long-log");
  const ids: string[] = [];
  for await (const page of client.logCommits(repository, head, { firstParent: true, stopAt: start })) {
    ids.push(...page.map((commit) => commit.id));
  }
  expect([ids.length, ids[0], ids.at(-1)]).toEqual([1101, head, start]);
  let bounded = 0;
  for await (const page of client.logCommits(repository, head, { firstParent: true, maxCommitCount: 1025 }))
    bounded += page.length;
  expect(bounded).toBe(1025);
});

test("case T08 fault G1: a full workspace disk is said with its numbers, and leaves nothing", async () => {
  await put("disk/big", Buffer.alloc(3_000_000, "x"));
  const commitId = await commitMain("disk");
  const small = folder("small-disk");
  mkdirSync(small);
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", small]);
  // Where nobody may mount, /dev/full is no folder: the test needs the right to mount.
  expect(mounted.status, `mount: ${String(mounted.stderr)}`).toBe(0);
  try {
    const error = await failureFrom(() =>
      sync.syncIn({ repository, commitId, prefix: "disk", folder: join(small, "work") }),
    );
    expect(error).toMatchObject({ code: "disk_full", names: ["big"], terminal: false });
    expect(String(error)).toMatch(/MiB free of 1 MiB/);
    expect(readdirSync(small)).toEqual([]);
  } finally {
    spawnSync("umount", [small]);
  }
});
