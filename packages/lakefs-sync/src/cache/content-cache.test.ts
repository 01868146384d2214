import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bringIn, cacheAt, cachedContext, contentFiles, downloads } from "../../test/cached.ts";
import { answerJson, failureFrom } from "../../test/fake-http.ts";
import { fakeLakefs, fakeObject, type FakeObject } from "../../test/fake-lakefs.ts";
import { tempFolder } from "../../test/temp-folder.ts";
import { projectFolder } from "../transfer/project.ts";
import { stage } from "../transfer/stage.ts";
import { syncIn } from "../transfer/sync-in.ts";

const big = Buffer.alloc(700_000, "big");

function input(): Map<string, FakeObject> {
  return new Map([
    ["in/a", fakeObject("one")],
    ["in/b", fakeObject("two", "opaque-2")],
    ["in/big", fakeObject(big)],
    ["in/empty", fakeObject("")],
  ]);
}

test("what came in once comes from the cache the next time, byte for byte, as new files of their own", async () => {
  const root = tempFolder();
  const { endpoint, seen } = await fakeLakefs({ c1: input() });
  const cache = cacheAt(root, endpoint);
  await bringIn(endpoint, cache);
  expect(downloads(seen).length).toBe(4);
  const second = await bringIn(endpoint, cacheAt(root, endpoint));
  expect(downloads(seen).length).toBe(4);
  const { folder } = second;
  expect(readFileSync(join(folder, "big")).equals(big)).toBe(true);
  expect([readFileSync(join(folder, "b"), "utf8"), statSync(join(folder, "empty")).size]).toEqual(["two", 0]);
  expect([statSync(join(folder, "big")).mode & 0o777, statSync(join(folder, "big")).nlink]).toEqual([0o644, 1]);
  expect(await projectFolder(cachedContext(endpoint, cache), second)).toMatchObject({
    hashedCount: 0,
    plan: { uploads: [], unchangedCount: 4 },
  });
});

test("a body that writes into a file from the cache does not change the cache", async () => {
  const root = tempFolder();
  const { endpoint, seen } = await fakeLakefs({ c1: input() });
  const cache = cacheAt(root, endpoint);
  await bringIn(endpoint, cache);
  const { folder } = await bringIn(endpoint, cache);
  for (const name of ["a", "big"]) writeFileSync(join(folder, name), "XXX", { flag: "r+" });
  const third = await bringIn(endpoint, cache);
  expect(readFileSync(join(third.folder, "a"), "utf8")).toBe("one");
  expect(readFileSync(join(third.folder, "big")).equals(big)).toBe(true);
  expect([downloads(seen).length, cache.counts.damagedCount]).toEqual([4, 0]);
});

test("what a body changed before it was filled is not kept under the object's name", async () => {
  const root = tempFolder();
  const { endpoint } = await fakeLakefs({ c1: input() });
  const cache = cacheAt(root, endpoint);
  const folder = join(tempFolder(), "work");
  const job = { repository: "r", commitId: "c1", prefix: "in", folder };
  const snapshot = await syncIn(cachedContext(endpoint, cache), job);
  writeFileSync(join(folder, "a"), "ONE");
  writeFileSync(join(folder, "big"), Buffer.alloc(700_000, "X"));
  for (const records of [snapshot.records, undefined]) {
    const objects = snapshot.objects;
    for (let row = 0; row < objects.count; row += 1) {
      const item = {
        contentId: objects.contentId(row) ?? "",
        absolutePath: join(folder, objects.path(row)),
        sizeBytes: objects.sizeBytes(row),
        md5: objects.hash(row) ?? "",
        mark: records?.get(row),
      };
      await cache.fillWith(item);
    }
  }
  expect(contentFiles(root).length).toBe(2);
  expect(readdirSync(join(root, "tmp"))).toEqual([]);
});

test("what was published comes from the cache in the next step", async () => {
  const root = tempFolder();
  const c1 = input();
  const refs: Record<string, Map<string, FakeObject>> = { c1, stg: new Map(c1) };
  const { endpoint, seen } = await fakeLakefs(refs);
  const cache = cacheAt(root, endpoint);
  const context = cachedContext(endpoint, cache);
  const snapshot = await bringIn(endpoint, cache);
  writeFileSync(join(snapshot.folder, "a"), "changed");
  writeFileSync(join(snapshot.folder, "new"), big);
  const projection = await projectFolder(context, snapshot);
  const { contents } = await stage(context, snapshot, projection, { branch: "stg", baseCommitId: "c1" });
  cache.keep(1, contents);
  await cache.settle(1, false);
  refs["c2"] = refs["stg"] ?? new Map();
  const before = downloads(seen).length;
  const next = await bringIn(endpoint, cache, { commitId: "c2" });
  expect(downloads(seen).length).toBe(before);
  expect(readFileSync(join(next.folder, "a"), "utf8")).toBe("changed");
  expect(readFileSync(join(next.folder, "new")).equals(big)).toBe(true);
});

test("case B07: equal checksums and sizes are not equal contents: other addresses, repositories, keys, servers", async () => {
  const root = tempFolder();
  const first = await fakeLakefs({ c1: new Map([["in/a", fakeObject("one", "etag-1")]]) });
  const second = await fakeLakefs({ c1: new Map([["in/a", fakeObject("two", "etag-1")]]) });
  const same = { ...fakeObject("six", "etag-1"), address: "local://same" };
  const third = await fakeLakefs({ c1: new Map([["in/a", { ...same, bytes: Buffer.from("ten") }]]) });
  const fourth = await fakeLakefs({ c1: new Map([["in/a", same]]) });
  for (const [{ endpoint }, text] of [
    [first, "one"],
    [second, "two"],
    [third, "ten"],
    [fourth, "six"],
  ] as const) {
    const { folder } = await bringIn(endpoint, cacheAt(root, endpoint));
    expect(readFileSync(join(folder, "a"), "utf8")).toBe(text);
  }
  await bringIn(first.endpoint, cacheAt(root, first.endpoint), { repository: "other" });
  expect(downloads(first.seen).length).toBe(2);
});

test.for([
  ["case G02 rule I5: data that was collected", 410, "input_data_gone"],
  ["a permission that was taken away", 403, "forbidden"],
] as const)("%s is noticed although the bytes are in the cache", async ([, status, code]) => {
  let isRefused = false;
  const { endpoint, seen } = await fakeLakefs(
    { c1: input() },
    {
      intercept: (request, response) => {
        if (!isRefused || !request.target.includes("/objects?path=")) return false;
        answerJson(response, { message: "no" }, status);
        return true;
      },
    },
  );
  const cache = cacheAt(tempFolder(), endpoint);
  await bringIn(endpoint, cache);
  isRefused = true;
  const before = seen.length;
  expect(await failureFrom(() => bringIn(endpoint, cache))).toMatchObject({ code });
  expect(seen.slice(before).filter(({ headers }) => headers["range"] === "bytes=0-0").length).toBe(1);
});

test("objects over an eighth of the cache are not kept: one would push out everything else", async () => {
  const root = tempFolder();
  const { endpoint } = await fakeLakefs({ c1: input() });
  await bringIn(endpoint, cacheAt(root, endpoint, 700_000 * 8 - 1));
  expect(contentFiles(root).length).toBe(3);
  await bringIn(endpoint, cacheAt(root, endpoint, 700_000 * 8));
  expect(contentFiles(root).length).toBe(4);
});

test("a root that others may write to, or that is no folder, is refused", async () => {
  const { endpoint } = await fakeLakefs({});
  const root = tempFolder();
  const open = (path: string) => failureFrom(async () => Promise.resolve(cacheAt(path, endpoint)));
  writeFileSync(join(root, "file"), "x");
  expect(await open(join(root, "file"))).toMatchObject({ code: "cache_unusable" });
  chmodSync(root, 0o777);
  const refused = await open(root);
  expect(refused).toMatchObject({ code: "cache_unusable" });
  expect(String(refused)).not.toContain(root);
});
