import { lstatSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/temp-folder.ts";
import { ctimeMovesOn, probeCtime } from "./probe-ctime.ts";

function steps(): { readonly nowMs: () => number; readonly sleepMs: (durationMs: number) => Promise<void> } {
  let nowMs = 0;
  return {
    nowMs: () => nowMs,
    sleepMs: (durationMs) => {
      nowMs += durationMs;
      return Promise.resolve();
    },
  };
}

test("rule T5: the probe is made again until its ctime is later than every file's", async () => {
  const seen = [5n, 5n, 5n, 9n];
  expect(await ctimeMovesOn(5n, () => seen.shift() ?? 0n, steps())).toBe(true);
  expect(seen).toEqual([]);
});

test("rule T5: a ctime that does not move on within the bound proves nothing, nor does an earlier one", async () => {
  let touched = 0;
  const coarse = (): bigint => {
    touched += 1;
    return 5n;
  };
  expect(await ctimeMovesOn(5n, coarse, steps())).toBe(false);
  expect(touched).toBe(101);
  expect(await ctimeMovesOn(5n, () => 4n, steps())).toBe(false);
});

test("rule T5: a disk's probe holds against files just written, and leaves nothing", async () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "a"), "x");
  const { ctimeNs } = lstatSync(join(folder, "a"), { bigint: true });
  expect(await probeCtime(folder, ctimeNs)).toBe(true);
  expect(await probeCtime(folder, ctimeNs + 10n ** 12n, steps())).toBe(false);
  expect(readdirSync(folder)).toEqual(["a"]);
});

test("rule T5: renaming a folder changes no record of the files in it", () => {
  const parent = tempFolder();
  mkdirSync(join(parent, "before"));
  writeFileSync(join(parent, "before/a"), "x");
  const before = lstatSync(join(parent, "before/a"), { bigint: true });
  renameSync(join(parent, "before"), join(parent, "after"));
  const { ino, ctimeNs, mtimeNs } = lstatSync(join(parent, "after/a"), { bigint: true });
  expect({ ino, ctimeNs, mtimeNs }).toEqual({ ino: before.ino, ctimeNs: before.ctimeNs, mtimeNs: before.mtimeNs });
});
