import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startEmulator, type Emulator } from "../src/emulator.ts";

const run = promisify(execFile);
const INSTALL_LIMIT_MS = 600_000;
const CHECK_LIMIT_MS = 60_000;
const script = fileURLToPath(new URL("./lakefs_sdk_check.py", import.meta.url));

let emulator: Emulator | undefined;
let folder = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "perago-python-"));
  await run("python3", ["-m", "venv", folder], { timeout: INSTALL_LIMIT_MS });
  await run(join(folder, "bin", "pip"), ["install", "--quiet", "lakefs-sdk==1.84.0"], { timeout: INSTALL_LIMIT_MS });
  emulator = await startEmulator();
}, INSTALL_LIMIT_MS);

afterAll(async () => {
  await emulator?.close();
  rmSync(folder, { recursive: true, force: true });
});

test("Python's lakefs-sdk, unmodified, uploads, commits, branches, merges, logs and diffs", async () => {
  const { url, accessKeyId, secretAccessKey } = emulator?.lakefs ?? { url: "", accessKeyId: "", secretAccessKey: "" };
  const { stdout } = await run(join(folder, "bin", "python"), [script], {
    timeout: CHECK_LIMIT_MS,
    env: {
      LAKECTL_SERVER_ENDPOINT_URL: url,
      LAKECTL_CREDENTIALS_ACCESS_KEY_ID: accessKeyId,
      LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY: secretAccessKey,
    },
  });
  expect(stdout.trim()).toBe("ok");
});
