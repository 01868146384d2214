import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { failureFrom } from "../test/fake-http.ts";
import { oddKeys } from "../test/odd-keys.ts";
import { realBench } from "./server.ts";

const { client, sync, repository, folder, put, commitMain, stageAll, objectsOf } = await realBench();

test("case N09 case N10 case N11: odd names come in and go back byte for byte, each its own object", async () => {
  for (const key of oddKeys) await put(`odd/${key}`, `content of ${key}`);
  const commitId = await commitMain("odd");
  const home = folder("odd");
  const { workspaceId, paths } = await sync.syncIn({ repository, commitId, prefix: "odd", folder: home });
  expect(paths.toSorted()).toEqual(oddKeys.toSorted());
  for (const key of oddKeys) {
    expect(readFileSync(join(home, key), "utf8")).toBe(`content of ${key}`);
    writeFileSync(join(home, key), `changed ${key}`);
    writeFileSync(join(home, `${key}2`), `new ${key}`);
  }
  const staged = await stageAll(workspaceId, commitId);
  const shown = await objectsOf(staged.commitId, "odd/");
  expect(Object.keys(shown).length).toBe(oddKeys.length * 2);
  for (const key of oddKeys)
    expect([shown[`odd/${key}`], shown[`odd/${key}2`]]).toEqual([`changed ${key}`, `new ${key}`]);
});

test("case N07: both Unicode forms of a name are kept, and a no-op changes neither", async () => {
  await put("nfc/caf\u00e9", "one");
  await put("nfd/cafe\u0301", "two");
  const commitId = await commitMain("forms");
  for (const [prefix, name] of [
    ["nfc", "caf\u00e9"],
    ["nfd", "cafe\u0301"],
  ] as const) {
    const { workspaceId, paths } = await sync.syncIn({ repository, commitId, prefix, folder: folder(prefix) });
    expect(paths).toEqual([name]);
    expect((await sync.project({ workspaceId })).noop).toBe(true);
  }
});

test("case N01: dot files that nobody touched are the same objects after publishing", async () => {
  for (const key of ["dots/.env.sample", "dots/.hidden/x", "dots/a.txt"]) await put(key, key);
  const commitId = await commitMain("dots");
  const home = folder("dots");
  const { workspaceId } = await sync.syncIn({ repository, commitId, prefix: "dots", folder: home });
  writeFileSync(join(home, "a.txt"), "changed");
  const staged = await stageAll(workspaceId, commitId);
  expect(staged).toMatchObject({ uploadedCount: 1, deletedCount: 0 });
  expect(await objectsOf(staged.commitId, "dots/")).toEqual({
    "dots/.env.sample": "dots/.env.sample",
    "dots/.hidden/x": "dots/.hidden/x",
    "dots/a.txt": "changed",
  });
});

test("case N02 rule T6 rule T10: directory markers make directories and stay as they are", async () => {
  await put("marks/empty/", "");
  await put("marks/full/", "");
  await put("marks/full/x", "x");
  const commitId = await commitMain("marks");
  const home = folder("marks");
  const { workspaceId } = await sync.syncIn({ repository, commitId, prefix: "marks", folder: home });
  expect(readdirSync(home).toSorted()).toEqual(["empty", "full"]);
  expect((await sync.project({ workspaceId })).noop).toBe(true);
  rmSync(join(home, "empty"), { recursive: true });
  expect((await sync.project({ workspaceId })).noop).toBe(true);
  writeFileSync(join(home, "y"), "y");
  const staged = await stageAll(workspaceId, commitId);
  expect(Object.keys(await objectsOf(staged.commitId, "marks/"))).toEqual([
    "marks/empty/",
    "marks/full/",
    "marks/full/x",
    "marks/y",
  ]);
});

test("case N04 case N12 rule I5: what no folder can hold is terminal, named, and nothing is written", async () => {
  const keys = ["bad/a", "bad/a/b", "bad/../evil", "bad//x", "bad/./y", "bad/n\0ul", `bad/${"x".repeat(256)}`];
  for (const key of keys) await put(key, "x");
  const commitId = await commitMain("bad");
  const before = readdirSync(folder(""));
  const error = await failureFrom(() => sync.syncIn({ repository, commitId, prefix: "bad", folder: folder("bad") }));
  expect(error).toMatchObject({ code: "input_unrepresentable", terminal: true });
  expect(error).toMatchObject({ names: expect.arrayContaining(keys) });
  expect(readdirSync(folder(""))).toEqual(before);
});

test("case N16 case N17: a prefix is a directory and never its neighbours", async () => {
  for (const key of ["data/1", "data-old/1", "data.txt"]) await put(key, key);
  const commitId = await commitMain("prefixes");
  for (const [index, prefix] of ["data", "data/", "/data/"].entries()) {
    const home = folder(`prefix-${index}`);
    const { workspaceId, paths } = await sync.syncIn({ repository, commitId, prefix, folder: home });
    expect(paths).toEqual(["1"]);
    rmSync(join(home, "1"));
    const staged = await stageAll(workspaceId, commitId);
    expect(Object.keys(await objectsOf(staged.commitId, "data"))).toEqual(["data-old/1", "data.txt"]);
  }
  const nothing = await sync.syncIn({ repository, commitId, prefix: "nope/", folder: folder("nope") });
  expect([nothing.fileCount, existsSync(folder("nope"))]).toEqual([0, true]);
  const object = failureFrom(() =>
    sync.syncIn({ repository, commitId, prefix: "data.txt/", folder: folder("object") }),
  );
  expect(await object).toMatchObject({ code: "input_unrepresentable", terminal: true, names: ["data.txt"] });
});

test("case N15 rule T11: the server takes 1024 bytes of key, and ours of 1025 fails before staging", async () => {
  const commitId = (await client.getBranch(repository, "main")).commit_id;
  const home = folder("long");
  const { workspaceId } = await sync.syncIn({ repository, commitId, prefix: "long", folder: home });
  const parents = `${"ä".repeat(100)}/`.repeat(4);
  mkdirSync(join(home, parents), { recursive: true });
  const name = (size: number): string => parents + "z".repeat(size - Buffer.byteLength(`long/${parents}`));
  writeFileSync(join(home, name(1024)), "fits");
  const staged = await stageAll(workspaceId, commitId);
  expect(Object.keys(await objectsOf(staged.commitId, "long/"))).toEqual([`long/${name(1024)}`]);
  writeFileSync(join(home, name(1025)), "too long");
  expect(await failureFrom(() => sync.project({ workspaceId }))).toMatchObject({ code: "key_too_long" });
});

test("case N19: empty files come in, stay, and truncating is a change", async () => {
  for (const [key, content] of [
    ["empty/_SUCCESS", ""],
    ["empty/log.txt", "line"],
  ] as const)
    await put(key, content);
  const commitId = await commitMain("empty");
  const home = folder("empty");
  const { workspaceId } = await sync.syncIn({ repository, commitId, prefix: "empty", folder: home });
  expect(statSync(join(home, "_SUCCESS")).size).toBe(0);
  truncateSync(join(home, "log.txt"));
  writeFileSync(join(home, "done"), "");
  const staged = await stageAll(workspaceId, commitId);
  expect(staged).toMatchObject({ uploadedCount: 2 });
  expect(await objectsOf(staged.commitId, "empty/")).toEqual({
    "empty/_SUCCESS": "",
    "empty/done": "",
    "empty/log.txt": "",
  });
});
