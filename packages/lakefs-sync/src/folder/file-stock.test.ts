import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/temp-folder.ts";
import { breathe } from "../transfer/bounded.ts";
import { FileStock } from "./file-stock.ts";

const fileCount = 8;

async function filled(): Promise<{ readonly stock: FileStock; readonly folder: string; readonly home: string }> {
  const folder = tempFolder();
  const stock = new FileStock(folder, { pause: breathe, isIdle: () => true, fileCount });
  await stock.refill();
  return { stock, folder, home: tempFolder() };
}

test("a file from the stock is one of those that were made, and is written like any other", async () => {
  const { stock, folder, home } = await filled();
  expect(readdirSync(folder).length).toBe(fileCount);
  const inodes = new Set(readdirSync(folder).map((name) => statSync(join(folder, name)).ino));
  const descriptor = stock.take(join(home, "a")) ?? -1;
  writeSync(descriptor, "one");
  closeSync(descriptor);
  expect(readFileSync(join(home, "a"), "utf8")).toBe("one");
  const { ino, mode, nlink } = statSync(join(home, "a"));
  expect([inodes.has(ino), mode & 0o777, nlink]).toEqual([true, 0o644, 1]);
  expect(readdirSync(folder).length).toBe(fileCount - 1);
  await stock.refill();
  expect(readdirSync(folder).length).toBe(fileCount);
});

test("an empty stock has none to give, and neither has one whose files another host took", async () => {
  const folder = tempFolder();
  const empty = new FileStock(folder, { pause: breathe, isIdle: () => true });
  expect(empty.take(join(tempFolder(), "a"))).toBeUndefined();
  const { stock, folder: shared, home } = await filled();
  for (const name of readdirSync(shared)) rmSync(join(shared, name));
  expect(stock.take(join(home, "a"))).toBeUndefined();
  expect(readdirSync(home)).toEqual([]);
});

test("case T02: nothing that is there is replaced by a file from the stock", async () => {
  const { stock, home } = await filled();
  const outside = join(tempFolder(), "outside");
  writeFileSync(join(home, "file"), "mine");
  symlinkSync(outside, join(home, "link"));
  for (const name of ["file", "link"]) expect(stock.take(join(home, name))).toBeUndefined();
  expect([readFileSync(join(home, "file"), "utf8"), existsSync(outside)]).toEqual(["mine", false]);
});

const spoils: Record<string, (path: string, outside: string) => void> = {
  "a link": (path, outside) => {
    rmSync(path);
    symlinkSync(outside, path);
  },
  "a file that somebody wrote into": (path) => writeFileSync(path, "x"),
  "a file that has another name too": (path, outside) => linkSync(path, `${outside}.too`),
  "a folder": (path) => {
    rmSync(path);
    mkdirSync(path);
  },
};

test.for(Object.keys(spoils))("case T02: what lies in the stock and is no new file is not given: %s", async (name) => {
  const { stock, folder, home } = await filled();
  const outside = join(tempFolder(), "outside");
  writeFileSync(outside, "theirs");
  for (const [index, file] of readdirSync(folder).entries()) spoils[name]?.(join(folder, file), `${outside}${index}`);
  expect(stock.take(join(home, "a"))).toBeUndefined();
  expect(readdirSync(home)).toEqual([]);
  expect(readFileSync(outside, "utf8")).toBe("theirs");
});

test("a stock is filled only while there is nothing better to do", async () => {
  const folder = tempFolder();
  const state = { isIdle: false };
  const stock = new FileStock(folder, {
    pause: async () => {
      state.isIdle = readdirSync(folder).length < 5;
      await breathe();
    },
    isIdle: () => state.isIdle,
    fileCount,
  });
  await stock.refill();
  expect(readdirSync(folder)).toEqual([]);
  state.isIdle = true;
  await stock.refill();
  expect(readdirSync(folder).length).toBe(5);
});
