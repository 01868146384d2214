import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { fromHostShape, type FromHost, type ToHost } from "../host/messages.ts";

const ENTRY = join(import.meta.dirname, "../host/entry.ts");
const MODULE = join(import.meta.dirname, "../../tasks/step.ts");
const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;

/** One process of a host. */
export interface HostProcess {
  readonly pid: number;
  readonly workerIdPrefix: string;
  /** Lets a step go on; a process that is gone is not told. */
  go(gate: number): void;
  signal(signal: NodeJS.Signals): void;
  /** Resolves with the exit code or the signal. */
  readonly ended: Promise<string>;
  isRunning(): boolean;
  /** SIGTERM, and SIGKILL for one that does not end. */
  stop(): Promise<string>;
}

/** What a process of a host is started with. */
export interface HostStart {
  /** Short name such as `h1`, and how many processes of it came before. */
  readonly name: string;
  readonly generation: number;
  readonly slotCount: number;
  readonly workspaceRoot: string;
  readonly home: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly breakage?: string;
  readonly onMessage: (message: FromHost, from: HostProcess) => void;
}

/** Forks a chaos host and waits until it polls. Throws where it ends before. */
export async function startHostProcess(start: HostStart): Promise<HostProcess> {
  const { name, generation, slotCount, workspaceRoot, home, breakage = "" } = start;
  const workerIdPrefix = `chaos-${name}-${generation}-`;
  await mkdir(home, { recursive: true });
  const log = await open(join(home, `stderr-${generation}.log`), "a");
  const child = fork(ENTRY, [MODULE, String(slotCount), breakage], {
    cwd: home,
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      ...start.environment,
      PERAGO_WORKSPACE_ROOT: workspaceRoot,
      PERAGO_LOG_ROOT: join(home, "logs"),
      // One for all hosts of the run.
      PERAGO_CACHE_ROOT: join(home, "..", "cache"),
      PERAGO_WORKER_ID_PREFIX: workerIdPrefix,
      PERAGO_WORKSPACE_MIN_FREE: "1MB",
    },
    stdio: ["ignore", log.fd, log.fd, "ipc"],
  });
  await log.close();
  const ended = once(child, "close").then(() => child.signalCode ?? `exit code ${child.exitCode}`);
  const host = hostOver(child, workerIdPrefix, ended);
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  child.on("message", (raw) => {
    const message = fromHostShape.parse(raw);
    if (message.type === "ready") resolve();
    start.onMessage(message, host);
  });
  const late = AbortSignal.timeout(READY_TIMEOUT_MS);
  const tooLate = once(late, "abort").then(() => "not ready in time");
  const failed = await Promise.race([ready.then(() => undefined), ended, tooLate]);
  if (failed === undefined) return host;
  child.kill("SIGKILL");
  throw new Error(`host ${name} did not start (${failed}); see ${join(home, `stderr-${generation}.log`)}`);
}

function hostOver(child: ChildProcess, workerIdPrefix: string, ended: Promise<string>): HostProcess {
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    pid: child.pid ?? 0,
    workerIdPrefix,
    ended,
    isRunning,
    go(gate) {
      const message: ToHost = { go: gate };
      if (child.connected) child.send(message, () => {});
    },
    signal: (signal) => void child.kill(signal),
    async stop() {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
      const how = await ended;
      clearTimeout(timer);
      return how;
    },
  };
}

/** Execution ids whose folders lie in a workspace root. */
export async function executionFolders(workspaceRoot: string): Promise<readonly string[]> {
  const workers = await folderNames(workspaceRoot);
  return (await Promise.all(workers.map((worker) => folderNames(join(workspaceRoot, worker))))).flat();
}

async function folderNames(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}
