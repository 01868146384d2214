import { existsSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { bringIn, cacheAt, contentFiles, downloads } from "../../test/cached.ts";
import { fakeLakefs, fakeObject, type FakeObject } from "../../test/fake-lakefs.ts";
import { tempFolder } from "../../test/temp-folder.ts";
import { breathe } from "../transfer/bounded.ts";
import { openCacheRoot } from "./cache-root.ts";
import { lastUseToDropMs, limitOf, sweepCache } from "./sweep-cache.ts";

const content = fc.record({ usedMs: fc.nat(50), sizeBytes: fc.nat(100) });

property.prop([fc.array(content), fc.nat(2_000)])(
  "what stays was used later than all that goes, fits, and one more would not",
  (contents, keptSizeBytes) => {
    const dropMs = lastUseToDropMs(contents, keptSizeBytes);
    const sizeOf = (kept: typeof contents): number => kept.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    expect(sizeOf(contents.filter(({ usedMs }) => usedMs > dropMs))).toBeLessThanOrEqual(keptSizeBytes);
    const andOneMore = contents.filter(({ usedMs }) => usedMs >= dropMs);
    if (dropMs !== Number.NEGATIVE_INFINITY) expect(sizeOf(andOneMore)).toBeGreaterThan(keptSizeBytes);
  },
);

test("a cache has its setting, half of what its disk has for it, or what is left beside what others need", () => {
  const limit = (cacheSizeBytes: number, freeBytes: number, minFreeBytes = 0): number =>
    limitOf({ maxSizeBytes: 1_000, minFreeBytes }, { cacheSizeBytes, freeBytes });
  expect([limit(0, 10_000), limit(600, 400), limit(0, 0)]).toEqual([1_000, 500, 0]);
  expect([limit(600, 400, 800), limit(100, 400, 800)]).toEqual([200, 0]);
});

test("the least recently used contents go, others stay; a use counts; what a killed process left goes after an hour", async () => {
  const root = tempFolder();
  const objects = Array.from({ length: 10 }, (_, index): [string, FakeObject] => [
    `in/${index}`,
    fakeObject(Buffer.alloc(100_000, index)),
  ]);
  const { endpoint, seen } = await fakeLakefs({ c1: new Map(objects), c2: new Map(objects.slice(0, 2)) });
  const cache = cacheAt(root, endpoint);
  await bringIn(endpoint, cache);
  const old = Date.now() / 1_000 - 3_600;
  for (const [index, path] of contentFiles(root).entries()) utimesSync(path, old + index, old + index);
  await bringIn(endpoint, cache, { commitId: "c2" });
  const used = contentFiles(root).filter((path) => statSync(path).mtimeMs > Date.now() - 60_000);
  expect(used.length).toBe(2);
  writeFileSync(join(root, "tmp", "killed"), "x");
  utimesSync(join(root, "tmp", "killed"), 1, 1);
  writeFileSync(join(root, "tmp", "running"), "x");
  const oldest = contentFiles(root).filter((path) => !used.includes(path));
  const { removedCount, sizeBytes } = await sweepCache(openCacheRoot(root), { root, maxSizeBytes: 600_000 }, breathe);
  const left = contentFiles(root);
  expect(left).toEqual(expect.arrayContaining(used));
  expect(left.map((path) => basename(path))).not.toContain(basename(oldest[0] ?? ""));
  expect([removedCount, left.length]).toEqual([5, 5]);
  expect(sizeBytes).toBeLessThanOrEqual(540_000);
  expect([existsSync(join(root, "tmp", "killed")), existsSync(join(root, "tmp", "running"))]).toEqual([false, true]);
  const before = downloads(seen).length;
  await bringIn(endpoint, cache);
  expect(downloads(seen).length).toBe(before + 5);
});

test("a cache that is filled beyond its limit is swept by itself", async () => {
  const root = tempFolder();
  const contentOf = (commit: number): FakeObject => fakeObject(Buffer.alloc(60_000, commit));
  const ids = Array.from({ length: 20 }, (_, commit) => commit);
  const commits = ids.map((commit) => [`c${commit}`, new Map([["in/x", contentOf(commit)]])] as const);
  const { endpoint } = await fakeLakefs(Object.fromEntries(commits));
  const cache = cacheAt(root, endpoint, 500_000);
  for (const [commitId] of commits) {
    await bringIn(endpoint, cache, { commitId });
    await cache.swept();
  }
  expect(cache.counts.filledCount).toBe(20);
  const sizeBytes = contentFiles(root).reduce((sum, path) => sum + statSync(path).size, 0);
  expect(sizeBytes).toBeLessThan(500_000 + 61_440);
  expect(sizeBytes).toBeGreaterThan(300_000);
});
