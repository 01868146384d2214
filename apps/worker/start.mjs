// The reference host: what `pnpm worker` runs after the build. It reads `.env` and then becomes `perago start` on the
// sample tasks: same process, so signals and the exit code need no handing on, and Ctrl-C arrives once (a second signal
// would force the end). Arguments are handed on: `node start.mjs -j 2`.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";

const EXIT_USAGE = 2;

const tasksFolder = new URL("src/tasks/", import.meta.url);
const modules = readdirSync(tasksFolder)
  .filter((name) => name.endsWith(".ts"))
  .toSorted()
  .map((name) => fileURLToPath(new URL(name, tasksFolder)));
const args = [process.execPath, commandFile(), "start", ...modules, ...process.argv.slice(2)];

if (typeof process.execve === "function") {
  process.execve(process.execPath, args, { ...readEnvFile(), ...process.env });
} else {
  process.stderr.write(`Node ${process.versions.node} is too old: use apps/worker/node_modules/.bin/node\n`);
  process.exitCode = EXIT_USAGE;
}

/** The command's file, from its package; the shim beside it may run another Node. */
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
