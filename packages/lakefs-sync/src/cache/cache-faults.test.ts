import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bringIn, cacheAt, contentFiles, downloads } from "../../test/cached.ts";
import { fakeLakefs, fakeObject, type FakeObject } from "../../test/fake-lakefs.ts";
import { tempFolder } from "../../test/temp-folder.ts";
import { contentPath, openCacheRoot } from "./cache-root.ts";
import { trailerSizeBytes } from "./trailer.ts";

const big = Buffer.alloc(700_000, "big");
const texts = { small: Buffer.from("small"), big, other: Buffer.from("other") };

function flip(path: string, position: number): void {
  const descriptor = openSync(path, "r+");
  const byte = Buffer.alloc(1);
  readSync(descriptor, byte, 0, 1, position);
  writeSync(descriptor, Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, position);
  closeSync(descriptor);
}

const damages: Record<string, (path: string, otherPath: string) => void> = {
  "a bit of the first byte": (path) => flip(path, 0),
  "a bit of the last byte": (path) => flip(path, statSync(path).size - trailerSizeBytes - 1),
  "a bit of the trailer's hash": (path) => flip(path, statSync(path).size - 30),
  "a bit of the trailer's own sum": (path) => flip(path, statSync(path).size - 1),
  "a byte too few": (path) => truncateSync(path, statSync(path).size - 1),
  "nothing left, as after a power cut": (path) => truncateSync(path, 0),
  "only zeros, as after a power cut": (path) => writeFileSync(path, Buffer.alloc(statSync(path).size)),
  "a byte too many": (path) => appendFileSync(path, "x"),
  "another content in its place": (path, otherPath) => copyFileSync(otherPath, path),
  "a link in its place": (path, otherPath) => {
    rmSync(path);
    symlinkSync(otherPath, path);
  },
  "a folder in its place": (path) => {
    rmSync(path);
    mkdirSync(path);
  },
};

test.for(Object.keys(damages))(
  "bit rot in the cache: with %s the object comes from the server, right",
  async (name) => {
    const root = tempFolder();
    const objects = Object.entries(texts).map(([path, bytes]): [string, FakeObject] => [
      `in/${path}`,
      fakeObject(bytes),
    ]);
    const { endpoint, seen } = await fakeLakefs({ c1: new Map(objects) });
    const first = await bringIn(endpoint, cacheAt(root, endpoint));
    const pathOf = (path: string): string => {
      const row = first.objects.find(path) ?? -1;
      return contentPath(openCacheRoot(root), first.objects.contentId(row) ?? "");
    };
    for (const path of ["small", "big"]) damages[name]?.(pathOf(path), pathOf("other"));
    const again = await bringIn(endpoint, cacheAt(root, endpoint));
    for (const [path, bytes] of Object.entries(texts))
      expect(readFileSync(join(again.folder, path)).equals(bytes)).toBe(true);
    expect(downloads(seen)).toEqual(["in/big", "in/big", "in/other", "in/small", "in/small"]);
    const third = await bringIn(endpoint, cacheAt(root, endpoint));
    expect(readFileSync(join(third.folder, "big")).equals(big)).toBe(true);
    expect(downloads(seen).length).toBe(5);
  },
);

function child(script: string, parts: readonly string[]): ChildProcess {
  const url = new URL(`../../test/${script}`, import.meta.url);
  return fork(url, [...parts], { execArgv: ["--conditions=perago-source"] });
}

test("SIGKILL while the cache is filled: nothing half-written is ever taken, and the next host fills it", async () => {
  const root = tempFolder();
  const { endpoint, seen } = await fakeLakefs({ c1: new Map([["in/big", fakeObject(big)]]) });
  const cache = cacheAt(root, endpoint);
  const { objects, folder } = await bringIn(endpoint, cacheAt(tempFolder(), endpoint));
  const parts = [objects.contentId(0) ?? "", join(folder, "big"), String(big.length), objects.hash(0) ?? ""];
  const filling = child("fill-child.ts", [root, ...parts]);
  await once(filling, "message");
  filling.kill("SIGKILL");
  expect((await once(filling, "exit"))[1]).toBe("SIGKILL");
  expect([contentFiles(root).length, readdirSync(join(root, "tmp")).length]).toEqual([0, 1]);
  const next = await bringIn(endpoint, cache);
  expect(readFileSync(join(next.folder, "big")).equals(big)).toBe(true);
  expect([contentFiles(root).length, cache.counts.damagedCount, downloads(seen).length]).toEqual([1, 0, 2]);
});

test(
  "two hosts on one cache that is too small for both bring in the right bytes, always",
  { timeout: 90_000 },
  async () => {
    const root = tempFolder();
    const commits = ["c1", "c2", "c3"].map((commitId, commit) => {
      const files = Array.from({ length: 12 }, (_, index): [string, FakeObject] => {
        // Every other file is the same in all commits.
        const content = Buffer.alloc(index % 4 === 0 ? 300_000 : 20_000, index % 2 === 0 ? index : commit * 16 + index);
        return [`in/${index}`, fakeObject(content)];
      });
      return [commitId, new Map(files)] as const;
    });
    const { endpoint } = await fakeLakefs(Object.fromEntries(commits));
    const wanted = Object.fromEntries(
      commits.map(([commitId, files]) => [
        commitId,
        Object.fromEntries([...files].map(([key, { checksum }]) => [key.slice("in/".length), checksum])),
      ]),
    );
    const parts = [endpoint, root, String(2_500_000), JSON.stringify(wanted)];
    const hosts = [child("cache-host-child.ts", parts), child("cache-host-child.ts", parts)];
    const ends = await Promise.all(hosts.map(async (host) => (await once(host, "message"))[0] as unknown));
    expect(ends).toEqual([{ wrong: [] }, { wrong: [] }]);
    expect(contentFiles(root).length).toBeGreaterThan(0);
    expect(contentFiles(root).reduce((sum, path) => sum + statSync(path).size, 0)).toBeLessThan(2_500_000 * 1.5);
  },
);
