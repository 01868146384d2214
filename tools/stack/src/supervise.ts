import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, open, rename, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { StackError, systemCodeOf } from "./errors.ts";
import { isHealthy } from "./health.ts";
import type { InstanceLayout, ServerName } from "./layout.ts";
import { readPidFile, removePidFile, writePidFile } from "./pid-file.ts";
import type { PidRecord } from "./pid-file.ts";
import { identify, isAlive } from "./process-identity.ts";
import { redact } from "./redact.ts";
import type { ServerPlan } from "./server-plan.ts";

const POLL_MS = 200;
/** How long a server has to end by itself before it is killed. */
export const STOP_TIMEOUT_MS = 30_000;
const KILL_TIMEOUT_MS = 10_000;
const TAIL_BYTES = 16_384;
const TAIL_LINES = 25;

/** Starts a server in a process group of its own that outlives us, and writes its pid file. */
export async function startServer(layout: InstanceLayout, plan: ServerPlan): Promise<PidRecord> {
  for (const folder of [plan.cwd, layout.logRoot, layout.temporaryRoot]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }
  for (const { path, text } of plan.files) await writeFile(path, text, { mode: 0o600 });
  const logPath = layout.logFile(plan.server);
  await rename(logPath, `${logPath}.1`).catch(() => undefined);
  const log = await open(logPath, "a", 0o600);
  try {
    const child = spawn(plan.file, plan.args, {
      cwd: plan.cwd,
      env: { ...plan.environment },
      detached: true,
      stdio: ["ignore", log.fd, log.fd],
    });
    await once(child, "spawn");
    child.unref();
    const identity = child.pid === undefined ? undefined : await identify(child.pid);
    if (identity === undefined) throw await died(layout, plan, []);
    const record = { ...identity, port: plan.port };
    await writePidFile(layout.pidFile(plan.server), record);
    return record;
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    throw new StackError({
      code: "SERVER_NOT_STARTED",
      message: `${plan.title} could not be started: ${String(error)}`,
      hint: `remove ${plan.file} and run \`pnpm stack up\` again`,
      exitCode: 3,
    });
  } finally {
    await log.close();
  }
}

/** What `waitHealthy` watches. */
export interface HealthWatch {
  readonly layout: InstanceLayout;
  readonly plan: ServerPlan;
  readonly record: PidRecord;
  readonly secrets: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Waits until the server answers as healthy. Throws SERVER_DIED with the end of its log where it ended before, and
 * SERVER_SLOW after its start timeout (both exit 3).
 */
export async function waitHealthy({ layout, plan, record, secrets, signal }: HealthWatch): Promise<void> {
  const deadline = Date.now() + plan.startTimeoutMs;
  while (Date.now() < deadline) {
    // The order matters: a foreign server on the port must not pass for ours.
    const healthy = await isHealthy(plan.health);
    if (!(await isAlive(record))) throw await died(layout, plan, secrets);
    if (healthy) return;
    await sleep(POLL_MS, undefined, { signal });
  }
  const tail = await logTail(layout, plan.server, secrets);
  throw new StackError({
    code: "SERVER_SLOW",
    message: `${plan.title} was not healthy after ${plan.startTimeoutMs / 1000} s; the end of its log:\n${tail}`,
    hint: `look at ${layout.logFile(plan.server)}; \`pnpm stack down\`, then \`up\`, starts it again`,
    exitCode: 3,
  });
}

/** Ends a server's process group: SIGTERM, then SIGKILL. The pid file's start time guards against a reused pid. */
export function stopServer(
  layout: InstanceLayout,
  server: ServerName,
  stopTimeoutMs: number = STOP_TIMEOUT_MS,
): Promise<"stopped" | "was not running"> {
  return endServer(layout, server, [
    ["SIGTERM", stopTimeoutMs],
    ["SIGKILL", KILL_TIMEOUT_MS],
  ]);
}

/** Ends it as a crash does: nothing but SIGKILL. */
export async function killServer(layout: InstanceLayout, server: ServerName): Promise<void> {
  await endServer(layout, server, [["SIGKILL", KILL_TIMEOUT_MS]]);
}

async function endServer(
  layout: InstanceLayout,
  server: ServerName,
  signals: readonly (readonly [signal: NodeJS.Signals, timeoutMs: number])[],
): Promise<"stopped" | "was not running"> {
  const pidFile = layout.pidFile(server);
  const { record } = await readPidFile(pidFile);
  if (record === undefined) {
    await removePidFile(pidFile);
    return "was not running";
  }
  for (const [signal, timeoutMs] of signals) {
    if (!(await isAlive(record))) break;
    signalGroup(record.pid, signal);
    const deadline = Date.now() + timeoutMs;
    while ((await isAlive(record)) && Date.now() < deadline) await sleep(POLL_MS);
  }
  if (await isAlive(record)) {
    throw new StackError({
      code: "SERVER_STUCK",
      message: `${server} (pid ${record.pid}) does not end, not even by SIGKILL`,
      hint: "look for a disk that does not answer; the process ends when it does",
      exitCode: 3,
    });
  }
  await removePidFile(pidFile);
  return "stopped";
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (systemCodeOf(error) !== "ESRCH") throw error;
  }
}

async function died(layout: InstanceLayout, plan: ServerPlan, secrets: readonly string[]): Promise<StackError> {
  const tail = await logTail(layout, plan.server, secrets);
  return new StackError({
    code: "SERVER_DIED",
    message: `${plan.title} ended while it started; the end of its log:\n${tail}`,
    hint: `mend what the log names, or begin with empty data: pnpm stack up --fresh`,
    exitCode: 3,
  });
}

/** The last lines of a server's log, without secrets. */
export async function logTail(layout: InstanceLayout, server: ServerName, secrets: readonly string[]): Promise<string> {
  const file = await open(layout.logFile(server), "r").catch(() => undefined);
  if (file === undefined) return "(no log)";
  try {
    const { size } = await file.stat();
    const length = Math.min(size, TAIL_BYTES);
    const { buffer } = await file.read({ buffer: Buffer.alloc(length), position: size - length });
    return redact(buffer.toString("utf8"), secrets).trimEnd().split("\n").slice(-TAIL_LINES).join("\n");
  } finally {
    await file.close();
  }
}
