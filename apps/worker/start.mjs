// The reference host: what `pnpm worker` runs after the build. It starts `perago start` on the sample tasks, hands on
// SIGTERM and SIGINT (package managers' exec commands do not), and ends with the command's exit code.
// Arguments are handed on: `node start.mjs -j 2`.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";

const SIGNALS = ["SIGTERM", "SIGINT"];
const SIGNAL_EXIT_BASE = 128;

const tasksFolder = new URL("src/tasks/", import.meta.url);
const modules = readdirSync(tasksFolder)
  .filter((name) => name.endsWith(".ts"))
  .toSorted()
  .map((name) => fileURLToPath(new URL(name, tasksFolder)));

const child = spawn(process.execPath, [commandFile(), "start", ...modules, ...process.argv.slice(2)], {
  stdio: "inherit",
  env: { ...readEnvFile(), ...process.env },
});
for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  process.stderr.write(`cannot start perago: ${error.message}\n`);
  process.exitCode = 1;
});
child.on("exit", (code, signal) => {
  process.exitCode = code ?? SIGNAL_EXIT_BASE + (signal === null ? 0 : constants.signals[signal]);
});

/** The command's file, from its package: the shim beside it would be a shell between the signals and the host. */
function commandFile() {
  const manifest = new URL(import.meta.resolve("@perago/cli/package.json"));
  const { bin } = JSON.parse(readFileSync(manifest, "utf8"));
  return fileURLToPath(new URL(typeof bin === "string" ? bin : bin.perago, manifest));
}

/** What `.env` says; the environment wins over it. */
function readEnvFile() {
  const file = new URL(".env", import.meta.url);
  return existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {};
}
