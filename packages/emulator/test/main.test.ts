import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { spawnEmulator } from "../scripts/emulator-process.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "perago-main-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function run(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, ["--conditions=perago-source", main, ...args], { encoding: "utf8" });
}

test("the program says where its servers are, and SIGTERM ends it with 0", async () => {
  const server = await spawnEmulator(folder);
  const response = await fetch(`${server.url}/api/v1/repositories`, {
    headers: { authorization: server.authorization },
  });
  expect(response.status).toBe(200);
  expect(await server.end("SIGTERM")).toBe(0);
});

test("what it cannot read is a usage error: 2", () => {
  for (const args of [["--port", "1"], ["--lakefs-port", "many"], ["--lakefs-port", "65536"], ["--check"]]) {
    expect(run(...args)).toMatchObject({ status: 2, stdout: "", stderr: expect.stringMatching(/^error: /) });
  }
});

test("a folder that cannot be used is 1", () => {
  writeFileSync(join(folder, "file"), "");
  expect(run("--folder", join(folder, "file"))).toMatchObject({ status: 1, stderr: expect.stringMatching(/^error: /) });
});

test("--check says what is wrong in a folder, and nothing where it is sound", async () => {
  const server = await spawnEmulator(folder);
  const call = async (method: string, path: string, body: string): Promise<number> =>
    (
      await fetch(`${server.url}/api/v1${path}`, {
        method,
        body,
        headers: { authorization: server.authorization, "content-type": "application/json" },
      })
    ).status;
  expect(await call("POST", "/repositories", '{"name":"checked","storage_namespace":"local://x/y"}')).toBe(201);
  expect(await call("POST", "/repositories/checked/branches/main/objects?path=a", "1")).toBe(201);
  await server.end("SIGTERM");
  expect(run("--check", "--folder", folder)).toMatchObject({ status: 0, stdout: "" });
  rmSync(join(folder, "objects", "6b"), { recursive: true });
  expect(run("--check", "--folder", folder)).toMatchObject({
    status: 1,
    stdout: expect.stringContaining("a has no file 6b86b273"),
  });
});
