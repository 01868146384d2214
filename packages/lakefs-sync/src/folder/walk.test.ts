import { spawnSync } from "node:child_process";
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { putFile, tempFolder } from "../../test/temp-folder.ts";
import { walkFolder, type FolderDefect } from "./walk.ts";

function walk(folder: string, excluded: string[] = []): { paths: string[]; defects: FolderDefect[] } {
  const defects: FolderDefect[] = [];
  const paths = [...walkFolder(folder, new Set(excluded), (defect) => defects.push(defect))];
  return { paths: paths.toSorted(), defects: defects.toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
}

test("all files are found, dot files, hard links and empty ones too; directories are no files", () => {
  const folder = tempFolder();
  putFile(folder, ".env", "x");
  putFile(folder, "a/b/c", "");
  mkdirSync(join(folder, "empty"));
  linkSync(join(folder, ".env"), join(folder, "hard"));
  expect(walk(folder)).toEqual({ paths: [".env", "a/b/c", "hard"], defects: [] });
});

test("fault G2 case T01 rule T7: links are named and never followed", () => {
  const folder = tempFolder();
  putFile(folder, "a.txt", "x");
  symlinkSync("a.txt", join(folder, "l"));
  symlinkSync("../..", join(folder, "d"));
  symlinkSync("nowhere", join(folder, "dangling"));
  symlinkSync("loop", join(folder, "loop"));
  const { paths, defects } = walk(folder);
  expect(paths).toEqual(["a.txt"]);
  const what = "a symbolic link";
  expect(defects).toEqual(["d", "dangling", "l", "loop"].map((path) => ({ path, what })));
});

test("fault G2 rule T7: a FIFO and a socket are named", async () => {
  const folder = tempFolder();
  expect(spawnSync("mkfifo", [join(folder, "fifo")]).status).toBe(0);
  const server = createServer().listen(join(folder, "sock"));
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.close();
  });
  expect(walk(folder).defects.map((defect) => defect.what)).toEqual(["a FIFO", "a socket"]);
});

test("rule T7: a name that is not UTF-8 and an unreadable directory are named", () => {
  const folder = tempFolder();
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0x61, 0xff])]), "x");
  mkdirSync(join(folder, "closed"), { mode: 0o000 });
  const { defects } = walk(folder);
  expect(defects.map((defect) => defect.what)).toEqual([
    "a name that is not UTF-8",
    "an unreadable directory (EACCES)",
  ]);
});

test("rule T6 case N20: only exact names are left out; junk is content", () => {
  const folder = tempFolder();
  for (const path of [".mark", "sub/.mark", ".DS_Store", "x.tmp", "__pycache__/y.pyc"]) putFile(folder, path, "x");
  expect(walk(folder, [".mark"]).paths).toEqual([".DS_Store", "__pycache__/y.pyc", "sub/.mark", "x.tmp"]);
});

test("case T01 rule T7: a folder that is gone, or replaced by a link, is named and not followed", () => {
  const parent = tempFolder();
  putFile(parent, "elsewhere/secret", "x");
  symlinkSync("elsewhere", join(parent, "work"));
  expect(walk(join(parent, "work"))).toEqual({ paths: [], defects: [{ path: ".", what: "no directory any more" }] });
  expect(walk(join(parent, "nowhere")).defects).toEqual([{ path: ".", what: "an unreadable directory (ENOENT)" }]);
});
