import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { expect, onTestFinished, test } from "vitest";

import { put, temporaryFolder } from "./helpers.ts";

const START = fileURLToPath(new URL("../start.mjs", import.meta.url));

/** Prints what it was given, then waits for a signal and ends with a code of its own. */
const FAKE_COMMAND = `
const { FROM_FILE, FROM_BOTH } = process.env;
process.on("SIGTERM", () => process.exit(17));
process.on("SIGINT", () => process.exit(18));
process.stdout.write(JSON.stringify({ pid: process.pid, args: process.argv.slice(2), FROM_FILE, FROM_BOTH }) + "\\n");
if (process.env.ENDS_WITH !== undefined) process.exit(Number(process.env.ENDS_WITH));
setInterval(() => {}, 1000);
`;

/** The start script in a folder of its own, with a command that only tells what it was given. */
async function startFake(args: string[], env: NodeJS.Dict<string> = {}): Promise<ChildProcess> {
  const folder = await temporaryFolder();
  await copyFile(START, join(folder, "start.mjs"));
  await put(folder, ".env", "FROM_FILE=file\nFROM_BOTH=file\n");
  await put(folder, "src/tasks/b.ts", "");
  await put(folder, "src/tasks/a.ts", "");
  await put(folder, "src/tasks/notes.md", "");
  const manifest = { name: "@perago/cli", type: "module", bin: { perago: "./main.mjs" }, exports: { "./*": "./*" } };
  await put(folder, "node_modules/@perago/cli/package.json", JSON.stringify(manifest));
  await put(folder, "node_modules/@perago/cli/main.mjs", FAKE_COMMAND);
  const child = spawn(process.execPath, [join(folder, "start.mjs"), ...args], {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function firstLine(child: ChildProcess): Promise<unknown> {
  let text = "";
  for await (const data of child.stdout ?? []) {
    text += String(data);
    if (text.endsWith("\n")) return JSON.parse(text);
  }
  throw new Error("it ended without a word");
}

test("it becomes the command on all task modules, with the arguments handed on and .env below the environment", async () => {
  const child = await startFake(["-j", "2"], { FROM_BOTH: "environment", ENDS_WITH: "0" });
  const exit = once(child, "exit");
  expect(await firstLine(child)).toEqual({
    pid: child.pid,
    args: ["start", expect.stringMatching(/src.tasks.a\.ts$/), expect.stringMatching(/src.tasks.b\.ts$/), "-j", "2"],
    FROM_FILE: "file",
    FROM_BOTH: "environment",
  });
  expect(await exit).toEqual([0, null]);
});

test("it ends with the exit code of the command", async () => {
  const child = await startFake([], { ENDS_WITH: "3" });
  expect(await once(child, "exit")).toEqual([3, null]);
});

test.each([
  ["SIGTERM", 17],
  ["SIGINT", 18],
] as const)("%s reaches the command, which decides how it ends", async (signal, code) => {
  const child = await startFake([]);
  const exit = once(child, "exit");
  await firstLine(child);
  child.kill(signal);
  expect(await exit).toEqual([code, null]);
});
