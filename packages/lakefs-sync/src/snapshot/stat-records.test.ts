import { execFileSync } from "node:child_process";
import {
  closeSync,
  copyFileSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { synced } from "../../test/synced.ts";
import type { ChangePlan } from "../plan/plan.ts";
import { projectFolder } from "../transfer/project.ts";
import type { Snapshot } from "./snapshot.ts";
import { StatRecords } from "./stat-records.ts";

/** Gives a file the times of another, to the nanosecond; `utimes` of Node cannot. */
function timesOf(like: string, path: string): void {
  execFileSync("touch", ["-r", like, path], { stdio: "ignore" });
}

/** Does something to the file `a`, which then has the times it came in with, to the nanosecond. */
function unseen(folder: string, act: (path: string) => void): void {
  const path = join(folder, "a");
  const kept = join(folder, "..", "kept");
  writeFileSync(kept, "");
  timesOf(path, kept);
  act(path);
  timesOf(kept, path);
}

function writeInPlace(path: string, text: string): void {
  const descriptor = openSync(path, "r+");
  writeSync(descriptor, text, 0);
  closeSync(descriptor);
}

const changes: Record<string, (folder: string) => void> = {
  "a write in place within the same tick": (folder) => writeInPlace(join(folder, "a"), "ONE"),
  "a write in place with the times set back": (folder) => unseen(folder, (path) => writeInPlace(path, "ONE")),
  "a rename over it with the times set back": (folder) =>
    unseen(folder, (path) => {
      writeFileSync(join(folder, "new"), "ONE");
      renameSync(join(folder, "new"), path);
    }),
  "another file that came in, of the same size and times": (folder) =>
    unseen(folder, (path) => {
      renameSync(join(folder, "b"), path);
      writeFileSync(join(folder, "b"), "two");
    }),
  "a hard link through which it is written": (folder) =>
    unseen(folder, (path) => {
      linkSync(path, join(folder, "..", "outside"));
      writeInPlace(join(folder, "..", "outside"), "ONE");
      rmSync(join(folder, "..", "outside"));
    }),
  "a hard link to another file in its place": (folder) =>
    unseen(folder, (path) => {
      rmSync(path);
      linkSync(join(folder, "b"), path);
    }),
  "a copy that keeps size and mtime": (folder) => unseen(folder, (path) => copyFileSync(join(folder, "b"), path)),
  "a file cut to nothing and filled again": (folder) =>
    unseen(folder, (path) => {
      truncateSync(path, 0);
      writeFileSync(path, "ONE", { flag: "r+" });
    }),
  "a write by another process": (folder) =>
    unseen(folder, (path) => {
      const script = "require('node:fs').writeFileSync(process.argv[1], 'ONE', { flag: 'r+' })";
      execFileSync(process.execPath, ["-e", script, path]);
    }),
};

test.for(Object.keys(changes))("rule T5: %s is seen as a change", async (name) => {
  const { context, snapshot, folder } = await synced({ a: "one", b: "two", c: "two" });
  const before = lstatSync(join(folder, "a"), { bigint: true });
  changes[name]?.(folder);
  if (!name.includes("tick")) expect(lstatSync(join(folder, "a"), { bigint: true }).mtimeNs).toBe(before.mtimeNs);
  expect(snapshot.records).toBeDefined();
  const { plan } = await projectFolder(context, snapshot);
  expect(plan.uploads.map((upload) => upload.path)).toContain("a");
});

/** Bytes that this process has read so far, by the kernel's own count. */
function readBytes(): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
}

test("rule T5: what nobody touched is not read again, what somebody touched is, and nothing else", async () => {
  const big = Buffer.alloc(8 * 1024 * 1024, "b");
  const { context, snapshot, folder } = await synced({ big, "d/e/f": "text", small: "one" });
  const before = readBytes();
  const untouched = await projectFolder(context, snapshot);
  expect(untouched).toMatchObject({ hashedCount: 0, plan: { uploads: [], deletes: [], unchangedCount: 3 } });
  expect(readBytes() - before).toBeLessThan(big.length / 8);
  utimesSync(join(folder, "small"), 1, 1);
  const touched = await projectFolder(context, snapshot);
  expect(touched).toMatchObject({ hashedCount: 1, digest: untouched.digest, plan: { uploads: [] } });
  writeFileSync(join(folder, "new"), "new");
  expect(await projectFolder(context, snapshot)).toMatchObject({ hashedCount: 2, plan: { unchangedCount: 3 } });
});

test("rule T5: where the probe does not hold, every file is read", async () => {
  const { context, snapshot } = await synced({ a: "one", b: "two" });
  const withoutRecords = await projectFolder(context, { ...snapshot, records: undefined });
  expect(withoutRecords).toMatchObject({ hashedCount: 2, plan: { uploads: [], unchangedCount: 2 } });
});

test("rule T5: a record decides only where all four fields are equal", () => {
  const mark = { inode: 2n ** 63n + 5n, sizeBytes: 3, mtimeNs: 10n, ctimeNs: 20n };
  const records = new StatRecords(2);
  records.set(1, mark);
  expect(records.equals(1, mark)).toBe(true);
  expect(records.equals(0, mark)).toBe(false);
  expect(records.latestCtimeNs).toBe(20n);
  for (const other of [{ inode: 6n }, { sizeBytes: 4 }, { mtimeNs: 11n }, { mtimeNs: -1n }, { ctimeNs: 21n }]) {
    expect(records.equals(1, { ...mark, ...other })).toBe(false);
  }
});

const names = ["a", "b", "d/c", "new"];
const name = fc.constantFrom(...names);
const text = fc.constantFrom("one", "two", "ONE");
type Deed = (path: (name: string) => string) => void;
const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.tuple(name, text).map(
    ([to, bytes]): Deed =>
      (path) =>
        writeFileSync(path(to), bytes),
  ),
  fc.tuple(name, text).map(
    ([to, bytes]): Deed =>
      (path) =>
        writeInPlace(path(to), bytes),
  ),
  fc.tuple(name, name).map(
    ([from, to]): Deed =>
      (path) =>
        renameSync(path(from), path(to)),
  ),
  fc.tuple(name, name).map(
    ([from, to]): Deed =>
      (path) =>
        linkSync(path(from), path(to)),
  ),
  fc.tuple(name, name).map(
    ([from, to]): Deed =>
      (path) =>
        copyFileSync(path(from), path(to)),
  ),
  fc.tuple(name, name).map(
    ([from, to]): Deed =>
      (path) =>
        timesOf(path(from), path(to)),
  ),
  name.map(
    (of): Deed =>
      (path) =>
        rmSync(path(of)),
  ),
);

function shape({ uploads, deletes, unchangedCount }: ChangePlan): unknown {
  return {
    uploads: uploads.map(({ path, hash }) => `${path} ${hash}`).toSorted(),
    deletes: deletes.length,
    unchangedCount,
  };
}

property.prop([fc.array(deed, { maxLength: 8 })], { numRuns: 60 })(
  "rule T5: whatever is done to a folder, records and hashes come to the same plan",
  async (deeds) => {
    const { context, snapshot, folder } = await synced({ a: "one", b: "two", "d/c": "one" });
    for (const act of deeds) {
      try {
        act((path) => join(folder, path));
      } catch {
        // A deed on a file that is not there does nothing.
      }
    }
    const truth: Snapshot = { ...snapshot, records: undefined };
    const byHash = await projectFolder(context, truth);
    const byRecord = await projectFolder(context, snapshot);
    expect(byRecord.digest).toBe(byHash.digest);
    expect(shape(byRecord.plan)).toEqual(shape(byHash.plan));
    expect(byRecord.hashedCount).toBeLessThanOrEqual(byHash.hashedCount);
  },
);
