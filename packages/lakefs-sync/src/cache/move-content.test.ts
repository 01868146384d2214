import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cacheAt, cachedContext, contentFiles, downloads } from "../../test/cached.ts";
import { fakeLakefs, fakeObject } from "../../test/fake-lakefs.ts";
import { tempFolder } from "../../test/temp-folder.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { syncIn } from "../transfer/sync-in.ts";
import type { ContentCache } from "./content-cache.ts";
import { itemsOfSnapshot } from "./fill-items.ts";

const big = Buffer.alloc(700_000, "big");

async function twoFiles() {
  const { endpoint, seen } = await fakeLakefs({
    c1: new Map([
      ["in/a", fakeObject("one")],
      ["in/big", fakeObject(big)],
    ]),
  });
  const root = tempFolder();
  const cache = cacheAt(root, endpoint);
  const bring = (): Promise<Snapshot> => {
    const folder = join(tempFolder(), "work");
    return syncIn(cachedContext(endpoint, cache), { repository: "r", commitId: "c1", prefix: "in", folder });
  };
  return { root, cache, seen, bring };
}

async function letGo(cache: ContentCache, snapshot: Snapshot): Promise<void> {
  cache.keep(1, itemsOfSnapshot(snapshot));
  await cache.settle(1, true);
}

test("files of a folder that goes become the cache's own, and come from there the next time", async () => {
  const { root, cache, seen, bring } = await twoFiles();
  const first = await bring();
  const inodes = new Set(["a", "big"].map((path) => statSync(join(first.folder, path)).ino));
  for (const item of itemsOfSnapshot(first)) await cache.moveIn(item);
  expect(readdirSync(first.folder)).toEqual([]);
  const kept = contentFiles(root).map((path) => statSync(path));
  expect(new Set(kept.map(({ ino }) => ino))).toEqual(inodes);
  expect(kept.map(({ mode }) => mode & 0o777)).toEqual([0o600, 0o600]);
  const second = await bring();
  expect([second.cachedCount, downloads(seen).length]).toEqual([2, 2]);
  expect(readFileSync(join(second.folder, "a"), "utf8")).toBe("one");
  expect(readFileSync(join(second.folder, "big")).equals(big)).toBe(true);
});

test("a folder that stays keeps all of its files, and the cache gets copies", async () => {
  const { root, cache, bring } = await twoFiles();
  const { folder, ...rest } = await bring();
  cache.keep(1, itemsOfSnapshot({ folder, ...rest }));
  await cache.settle(1, false);
  expect([readdirSync(folder).length, contentFiles(root).length]).toEqual([2, 2]);
});

const changes: Record<string, (path: string) => void> = {
  "written in place": (path) => writeFileSync(path, "ONE", { flag: "r+" }),
  "cut and filled again": (path) => {
    truncateSync(path, 0);
    writeFileSync(path, "one", { flag: "r+" });
  },
  "another in its place": (path) => {
    writeFileSync(`${path}.new`, "ONE");
    renameSync(`${path}.new`, path);
  },
  "a link in its place": (path) => {
    renameSync(path, `${path}.old`);
    symlinkSync(`${path}.old`, path);
  },
  "a folder in its place": (path) => {
    renameSync(path, `${path}.old`);
    mkdirSync(path);
  },
  "one of two names of the same file": (path) => linkSync(path, `${path}.too`),
  gone: (path) => renameSync(path, `${path}.old`),
};

test.for(Object.keys(changes))("a file that a body left changed is not moved into the cache: %s", async (name) => {
  const { root, cache, bring } = await twoFiles();
  const snapshot = await bring();
  changes[name]?.(join(snapshot.folder, "a"));
  const before = readdirSync(snapshot.folder);
  await letGo(cache, snapshot);
  expect([contentFiles(root).length, cache.counts.filledCount]).toEqual([1, 1]);
  expect(readdirSync(snapshot.folder)).toEqual(before.filter((entry) => entry !== "big"));
});

test("without stat records that prove something files are copied, and only where their MD5 is the object's (rule T5)", async () => {
  const { root, cache, bring } = await twoFiles();
  const snapshot = { ...(await bring()), records: undefined };
  writeFileSync(join(snapshot.folder, "a"), "ONE");
  await letGo(cache, snapshot);
  expect([contentFiles(root).length, readdirSync(snapshot.folder).length]).toEqual([1, 2]);
});

test("who still writes into a file after it was moved spoils nothing: its CRC is not the trailer's (rule T8)", async () => {
  const { cache, seen, bring } = await twoFiles();
  const first = await bring();
  const descriptor = openSync(join(first.folder, "a"), "r+");
  await letGo(cache, first);
  expect(existsSync(join(first.folder, "a"))).toBe(false);
  writeSync(descriptor, "ONE", 0);
  closeSync(descriptor);
  const second = await bring();
  expect(readFileSync(join(second.folder, "a"), "utf8")).toBe("one");
  expect([cache.counts.damagedCount, downloads(seen)]).toEqual([1, ["in/a", "in/a", "in/big"]]);
});
