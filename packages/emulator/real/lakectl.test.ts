import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startEmulator, type Emulator } from "../src/emulator.ts";

const run = promisify(execFile);
const LIMIT_MS = 60_000;

let emulator: Emulator | undefined;
let folder = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "perago-lakectl-"));
  emulator = await startEmulator();
});

afterAll(async () => {
  await emulator?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the program that is built from lakeFS' own source, unmodified; what it prints. */
async function lakectl(...args: readonly string[]): Promise<string> {
  const program = process.env["LAKECTL_PATH"];
  if (program === undefined || program === "") throw new Error("LAKECTL_PATH is not set: this test needs lakectl");
  if (emulator === undefined) throw new Error("no emulator");
  const { url, accessKeyId, secretAccessKey } = emulator.lakefs;
  const { stdout } = await run(program, [...args, "--no-color"], {
    cwd: folder,
    timeout: LIMIT_MS,
    env: {
      HOME: folder,
      LAKECTL_SERVER_ENDPOINT_URL: url,
      LAKECTL_CREDENTIALS_ACCESS_KEY_ID: accessKeyId,
      LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY: secretAccessKey,
    },
  });
  return stdout;
}

test("lakectl uploads, commits, branches, merges, logs and diffs", async () => {
  await writeFile(join(folder, "a.txt"), "hello from lakectl\n");
  await lakectl("repo", "create", "lakefs://by-lakectl", "local://perago/by-lakectl");
  expect(await lakectl("repo", "list")).toContain("by-lakectl");
  await lakectl("branch", "create", "lakefs://by-lakectl/side", "--source", "lakefs://by-lakectl/main");
  await lakectl("fs", "upload", "lakefs://by-lakectl/side/dir/a.txt", "--source", "a.txt");
  expect(await lakectl("diff", "lakefs://by-lakectl/side")).toContain("dir/a.txt");
  await lakectl("commit", "lakefs://by-lakectl/side", "--message", "by lakectl", "--meta", "who=lakectl");
  expect(await lakectl("diff", "lakefs://by-lakectl/main", "lakefs://by-lakectl/side")).toContain("added dir/a.txt");
  await lakectl("merge", "lakefs://by-lakectl/side", "lakefs://by-lakectl/main");
  const log = await lakectl("log", "lakefs://by-lakectl/main");
  expect(log).toContain("Merge 'side' into 'main'");
  expect(log).toMatch(/who\s+= lakectl/);
  expect(await lakectl("fs", "cat", "lakefs://by-lakectl/main/dir/a.txt")).toBe("hello from lakectl\n");
  expect(await lakectl("fs", "ls", "lakefs://by-lakectl/main/")).toContain("dir/");
  expect(await lakectl("fs", "stat", "lakefs://by-lakectl/main/dir/a.txt")).toContain("dir/a.txt");
  expect(await lakectl("branch", "list", "lakefs://by-lakectl")).toContain("side");
  await lakectl("branch", "revert", "lakefs://by-lakectl/main", "main", "--parent-number", "1", "--yes");
  await lakectl("branch", "delete", "lakefs://by-lakectl/side", "--yes");
  expect(await lakectl("branch", "list", "lakefs://by-lakectl")).not.toContain("side");
});

test("lakectl local clones a folder, sees a change and commits it", async () => {
  await lakectl("repo", "create", "lakefs://by-local", "local://perago/by-local");
  await writeFile(join(folder, "one.txt"), "one\n");
  for (const name of ["data/one.txt", "data/two.txt", "other/three.txt"]) {
    await lakectl("fs", "upload", `lakefs://by-local/main/${name}`, "--source", "one.txt");
  }
  await lakectl("commit", "lakefs://by-local/main", "--message", "first");
  const clone = join(folder, "clone");
  await mkdir(clone);
  await lakectl("local", "clone", "lakefs://by-local/main/data/", clone);
  expect(await readFile(join(clone, "one.txt"), "utf8")).toBe("one\n");
  await writeFile(join(clone, "two.txt"), "changed\n");
  await writeFile(join(clone, "four.txt"), "four\n");
  expect(await lakectl("local", "status", clone)).toContain("four.txt");
  await lakectl("local", "commit", clone, "--message", "by local");
  expect(await lakectl("fs", "cat", "lakefs://by-local/main/data/two.txt")).toBe("changed\n");
  expect(await lakectl("fs", "cat", "lakefs://by-local/main/other/three.txt")).toBe("one\n");
});

test("lakectl prints the emulator's refusals", async () => {
  await expect(lakectl("branch", "create", "lakefs://nope/side", "--source", "lakefs://nope/main")).rejects.toThrow(
    /repository not found/,
  );
  await lakectl("repo", "create", "lakefs://refuses", "local://perago/refuses");
  await expect(lakectl("commit", "lakefs://refuses/main", "--message", "m")).rejects.toThrow(/no changes/);
});
