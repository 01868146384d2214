import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, join } from "node:path";
import { runEntry, say } from "./entry.ts";
import { StackError } from "./errors.ts";
import { decideTestServers } from "./given-servers.ts";
import { isHealthy } from "./health.ts";
import { withLock } from "./lock.ts";
import { realClientEnvironment, realContext } from "./real-stack.ts";
import { down, up } from "./up.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const INSTANCE = process.env["PERAGO_STACK_NAME"] || "test";
const STOP_TIMEOUT_MS = 15_000;

await runEntry(async (signal) => {
  const servers = decideTestServers(process.env);
  // The tests start `perago` from dist. Servers come after it: a build that fails need not wait for them.
  const built = await run(["turbo", "run", "build", "--output-logs=errors-only"], {}, signal);
  if (built !== 0) return built;
  if (servers.kind === "own") return onOwnServers(signal);
  for (const { title, check } of servers.health) {
    if (await isHealthy(check)) continue;
    throw new StackError({
      code: "SERVER_UNREACHABLE",
      message: `${title} does not answer as a healthy server`,
      hint: "start it (pnpm stack up), or unset the variables to have the tests start their own",
      exitCode: 3,
    });
  }
  return runTests({}, signal);
});

/** Starts an instance with empty data on free ports, and stops it whatever happens. */
async function onOwnServers(signal: AbortSignal): Promise<number> {
  const context = realContext({ environment: process.env, signal, say }, INSTANCE);
  const file = join(context.layout.root, "run-lock.db");
  const lock = { file, guards: `instance "${INSTANCE}" (another pnpm test:real)`, timeoutMs: 0, signal, say };
  return withLock(lock, async () => {
    try {
      const any = { name: INSTANCE, lakefsPort: undefined, conductorPort: undefined };
      await up(context, { verb: "up", ...any, freePorts: true, fresh: true });
      return await runTests(await realClientEnvironment(process.env, INSTANCE), signal);
    } finally {
      // The run's signal may have come: stopping must not be stopped by it.
      await down({ ...context, signal: new AbortController().signal });
    }
  });
}

function runTests(environment: Readonly<Record<string, string>>, signal: AbortSignal): Promise<number> {
  return run(["vitest", "run", "--project", "real", ...process.argv.slice(2)], environment, signal);
}

async function run(
  [program = "", ...args]: readonly string[],
  environment: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<number> {
  signal.throwIfAborted();
  const path = `${join(ROOT, "node_modules", ".bin")}${delimiter}${process.env["PATH"] ?? ""}`;
  const env = { ...process.env, ...environment, PATH: path };
  const child = spawn(program, args, { cwd: ROOT, env, stdio: ["ignore", "inherit", "inherit"], detached: true });
  const ended = once(child, "close");
  const stop = () => {
    signalGroup(child.pid, "SIGTERM");
    setTimeout(() => signalGroup(child.pid, "SIGKILL"), STOP_TIMEOUT_MS).unref();
  };
  signal.addEventListener("abort", stop, { once: true });
  try {
    const [exitCode]: unknown[] = await ended;
    // Whatever a test left running in the group ends with it.
    signalGroup(child.pid, "SIGKILL");
    return typeof exitCode === "number" ? exitCode : 1;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Nobody is left in it.
  }
}
