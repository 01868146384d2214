import { appendFileSync, chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { failureFrom } from "../../test/fake-http.ts";
import { fakeLakefs, fakeObject, type FakeFaults, type FakeObject } from "../../test/fake-lakefs.ts";
import { contextTo } from "../../test/job-context.ts";
import { putFile, tempFolder } from "../../test/temp-folder.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { compareCommit } from "./compare.ts";
import type { JobContext } from "./context.ts";
import { projectFolder } from "./project.ts";
import { stage } from "./stage.ts";
import { syncIn } from "./sync-in.ts";

interface Bench {
  readonly context: JobContext;
  readonly snapshot: Snapshot;
  readonly folder: string;
  /** The staging branch's objects. */
  readonly branch: Map<string, FakeObject>;
  readonly uploads: () => string[];
}

/** Brings `input` in; the staging branch starts as a copy of `base` (default: of the input). */
async function bench(
  input: [string, FakeObject][],
  options: FakeFaults & { base?: [string, FakeObject][]; prefix?: string } = {},
): Promise<Bench> {
  const branch = new Map(options.base ?? input);
  const refs = { c1: new Map(input), c2: new Map(options.base ?? input), stg: branch };
  const { endpoint, seen } = await fakeLakefs(refs, options);
  const context = contextTo(endpoint);
  const folder = join(tempFolder(), "work");
  const snapshot = await syncIn(context, {
    repository: "r",
    commitId: "c1",
    prefix: options.prefix ?? "in",
    folder,
    excludedPaths: [".mark"],
  });
  const uploads = (): string[] =>
    seen
      .filter((request) => request.method === "POST" && request.target.includes("?path="))
      .map((request) => decodeURIComponent(request.target.split("?path=")[1] ?? ""));
  return { context, snapshot, folder, branch, uploads };
}

async function stageNow({ context, snapshot }: Bench, baseCommitId = "c1"): Promise<Awaited<ReturnType<typeof stage>>> {
  const projection = await projectFolder(context, snapshot);
  return await stage(context, snapshot, projection, { branch: "stg", baseCommitId });
}

const shown = (branch: Map<string, FakeObject>): Record<string, string> =>
  Object.fromEntries([...branch].map(([key, object]) => [key, object.bytes.toString()]));

test("rule T5 case T05 case T04: times and modes alone are no change", async () => {
  const it = await bench([
    ["in/a", fakeObject("one")],
    ["in/b", fakeObject("two")],
  ]);
  utimesSync(join(it.folder, "a"), 1, 1);
  chmodSync(join(it.folder, "b"), 0o755);
  const { plan } = await projectFolder(it.context, it.snapshot);
  expect(plan).toMatchObject({ uploads: [], deletes: [], unchangedCount: 2 });
});

test("rule T5: a change of content is seen although size and mtime are as before", async () => {
  const it = await bench([["in/a", fakeObject("one")]]);
  utimesSync(join(it.folder, "a"), 1000, 1000);
  writeFileSync(join(it.folder, "a"), "ONE");
  utimesSync(join(it.folder, "a"), 1000, 1000);
  expect((await projectFolder(it.context, it.snapshot)).plan.uploads.length).toBe(1);
});

test("case B07: an untouched object is no change, whatever its checksum is", async () => {
  const it = await bench([
    ["in/a", fakeObject("same")],
    ["in/b", fakeObject("same", "abc-3")],
  ]);
  expect((await projectFolder(it.context, it.snapshot)).plan.uploads).toEqual([]);
});

test("case N01 case N02 rule T6: what sync-in left out is never deleted, and markers stay", async () => {
  const it = await bench(
    [
      ["_lakefs_actions/f.yaml", fakeObject("hook")],
      [".mark", fakeObject("theirs")],
      ["empty/", fakeObject("")],
      [".hidden/x", fakeObject("h")],
      ["a", fakeObject("one")],
    ],
    { prefix: "/" },
  );
  putFile(it.folder, ".mark", "the runtime's own");
  rmSync(join(it.folder, "empty"), { recursive: true });
  rmSync(join(it.folder, "a"));
  await stageNow(it);
  expect(Object.keys(shown(it.branch))).toEqual(["_lakefs_actions/f.yaml", ".mark", "empty/", ".hidden/x"]);
  expect(shown(it.branch)[".mark"]).toBe("theirs");
});

test("fault D8 rule T6 case L19: a body that makes a hook file fails, naming it; below a prefix the name is free", async () => {
  const root = await bench([], { prefix: "" });
  putFile(root.folder, "_lakefs_actions/evil.yaml", "x");
  expect(await failureFrom(() => stageNow(root))).toMatchObject({
    code: "folder_unstageable",
    names: ["_lakefs_actions/evil.yaml"],
  });
  const below = await bench([]);
  putFile(below.folder, "_lakefs_actions/fine.yaml", "x");
  expect((await stageNow(below)).plan.uploads.length).toBe(1);
});

test("rule T6: a file in the place of a directory marker fails, since the marker stays", async () => {
  const it = await bench([["in/d/e/", fakeObject("")]]);
  rmSync(join(it.folder, "d"), { recursive: true });
  writeFileSync(join(it.folder, "d"), "x");
  expect(await failureFrom(() => stageNow(it))).toMatchObject({ code: "folder_unstageable", names: ["d"] });
});

test("rule T4: on a later base the branch shows the folder, without what only the base had", async () => {
  const input: [string, FakeObject][] = [
    ["in/a", fakeObject("one")],
    ["in/b", fakeObject("two", "opaque-2")],
    ["x/y", fakeObject("out")],
  ];
  const it = await bench(input, {
    base: [
      ["in/a", fakeObject("ONE")],
      ["in/b", fakeObject("two", "opaque-2")],
      ["in/extra", fakeObject("left by an earlier attempt")],
      ["in/new", fakeObject("new")],
      ["x/y", fakeObject("out")],
    ],
  });
  putFile(it.folder, "new", "new");
  const staged = await stageNow(it, "c2");
  expect(shown(it.branch)).toEqual({ "in/a": "one", "in/b": "two", "in/new": "new", "x/y": "out" });
  expect(it.uploads()).toEqual(["in/a"]);
  expect([...staged.expected].toSorted(([left], [right]) => left.localeCompare(right))).toEqual([
    ["in/a", "changed"],
    ["in/extra", "removed"],
  ]);
});

test("rule T12: a changed file keeps content type and metadata", async () => {
  const object = { ...fakeObject("one"), contentType: "text/csv", metadata: { owner: "me" } };
  const it = await bench([["in/a", object]]);
  writeFileSync(join(it.folder, "a"), "two");
  await stageNow(it);
  expect(it.branch.get("in/a")).toMatchObject({ contentType: "text/csv", metadata: { owner: "me" } });
});

test("case N15 rule T11: a key of 1024 bytes is staged, one of 1025 fails before the first upload", async () => {
  for (const letter of ["x", "ä"]) {
    const it = await bench([]);
    const directories = `${letter.repeat(120)}/`.repeat(4);
    const rest = 1024 - Buffer.byteLength(`in/${directories}`);
    const deep = directories + (rest > 250 ? `${"y".repeat(200)}/`.repeat(Math.floor(rest / 250)) : "");
    const name = (size: number): string => "z".repeat(size - Buffer.byteLength(`in/${deep}`));
    putFile(it.folder, deep + name(1024), "fits");
    await stageNow(it);
    expect(it.uploads().length).toBe(1);
    putFile(it.folder, deep + name(1025), "too long");
    putFile(it.folder, "other", "new too");
    const error = await failureFrom(() => stageNow(it));
    expect(error).toMatchObject({ code: "key_too_long" });
    expect(String(error)).toContain("1025");
    expect(it.uploads().length).toBe(1);
  }
});

test("case T01 case T04 rule T7: links and unreadable files fail, all named, and nothing is uploaded", async () => {
  const it = await bench([["in/a", fakeObject("one")]]);
  putFile(it.folder, "ok", "x");
  putFile(it.folder, "closed", "x", 0o000);
  symlinkSync("a", join(it.folder, "l"));
  mkdirSync(join(it.folder, "d"));
  const error = await failureFrom(() => stageNow(it));
  expect(error).toMatchObject({ code: "folder_unstageable", names: expect.arrayContaining(["closed", "l"]) });
  expect(String(error)).not.toContain(it.folder);
  expect(it.uploads()).toEqual([]);
});

test.for([10, 900_000])(
  "fault G7 rule T8 rule T3 case L20: a file of %i bytes that changes after it was judged fails and is never stored",
  async (sizeBytes) => {
    const it = await bench([]);
    putFile(it.folder, "out.log", Buffer.alloc(sizeBytes, "a"));
    const projection = await projectFolder(it.context, it.snapshot);
    appendFileSync(join(it.folder, "out.log"), "more");
    const staged = failureFrom(() => stage(it.context, it.snapshot, projection, { branch: "stg", baseCommitId: "c1" }));
    expect(await staged).toMatchObject({ code: "file_changed", names: ["out.log"] });
    rmSync(join(it.folder, "out.log"));
    const vanished = failureFrom(() =>
      stage(it.context, it.snapshot, projection, { branch: "stg", baseCommitId: "c1" }),
    );
    expect(await vanished).toMatchObject({ code: "file_changed", names: ["out.log"] });
    expect(it.branch.size).toBe(0);
  },
);

test("case B08: an upload that is stored otherwise than sent fails, naming the key", async () => {
  const it = await bench([], { checksumOf: () => "0123456789abcdef0123456789abcdef" });
  putFile(it.folder, "a", "x");
  expect(await failureFrom(() => stageNow(it))).toMatchObject({ code: "transfer_mismatch", names: ["in/a"] });
});

test("case B07: a store with opaque checksums takes uploads, small and large", async () => {
  const it = await bench([], { checksumOf: (bytes) => `etag-${bytes.length}` });
  putFile(it.folder, "a", "x");
  putFile(it.folder, "big", Buffer.alloc(900_000, "b"));
  await stageNow(it);
  expect(it.branch.get("in/big")?.bytes.length).toBe(900_000);
});

test("an upload that fails in the middle is opened and sent again", async () => {
  let failed = 0;
  const it = await bench([], {
    intercept: (request, response) => {
      if (request.method !== "POST" || failed > 1) return false;
      failed += 1;
      response.writeHead(503).end();
      return true;
    },
  });
  putFile(it.folder, "big", Buffer.alloc(900_000, "b"));
  await stageNow(it);
  expect(it.uploads().length).toBe(3);
  expect(it.branch.get("in/big")?.bytes.equals(Buffer.alloc(900_000, "b"))).toBe(true);
});

test("errors for single paths of a delete fail, naming them", async () => {
  const it = await bench([["in/a", fakeObject("x")]], {
    intercept: (request, response) => {
      if (!request.target.includes("/objects/delete")) return false;
      response.writeHead(200).end(JSON.stringify({ errors: [{ path: "in/a", status_code: 403, message: "no" }] }));
      return true;
    },
  });
  rmSync(join(it.folder, "a"));
  expect(await failureFrom(() => stageNow(it))).toMatchObject({ code: "delete_failed", names: ["in/a"] });
});

test("rule P9: a commit is compared by content, also where its checksums say nothing", async () => {
  const it = await bench([["in/a", fakeObject("one")]], {
    base: [
      ["in/a", fakeObject("one", "other-tag-1")],
      ["in/m/", fakeObject("")],
    ],
  });
  const projection = await projectFolder(it.context, it.snapshot);
  expect(await compareCommit(it.context, it.snapshot, projection, "c2")).toEqual({ equal: true });
});

test.for([
  ["another content", [["in/a", fakeObject("two", "tag-9")]]],
  ["another size", [["in/a", fakeObject("longer")]]],
  [
    "not in the folder",
    [
      ["in/a", fakeObject("one")],
      ["in/b", fakeObject("x")],
    ],
  ],
  ["not in the commit", []],
] as [string, [string, FakeObject][]][])("rule P9: a difference is found: %s", async ([difference, base]) => {
  const it = await bench([["in/a", fakeObject("one")]], { base });
  const projection = await projectFolder(it.context, it.snapshot);
  const comparison = await compareCommit(it.context, it.snapshot, projection, "c2");
  expect(comparison).toEqual({ equal: false, difference: expect.stringContaining(difference) });
});
