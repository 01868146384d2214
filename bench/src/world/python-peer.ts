import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { until } from "@perago/e2e/support/until.ts";
import { hasBeenPolled } from "./servers.ts";
import { runCommand } from "./processes.ts";
import { processTree } from "./proc.ts";

const VERSION = "0.6.1";
const MODULES = join(import.meta.dirname, "../peers/python");
const STOP_TIMEOUT_MS = 5000;
const READY_TIMEOUT_MS = 60_000;

/** The Python peer, installed in a folder of its own. */
export interface PythonPeer {
  readonly version: string;
  /** Starts its worker with so many processes; resolves when they poll. */
  start(options: PythonWorkerOptions): Promise<PythonWorker>;
}

/** How the peer's worker is started. */
export interface PythonWorkerOptions {
  readonly folder: string;
  readonly taskName: string;
  readonly processCount: number;
}

/** A running worker of the peer. */
export interface PythonWorker {
  readonly pid: number;
  stop(): Promise<void>;
}

/** Installs the peer into `folder`. @throws {Error} where Python or the package is not to be had. */
export async function installPythonPeer(folder: string): Promise<PythonPeer> {
  await runCommand("python3", ["-m", "venv", folder], { folder: "/" });
  const python = join(folder, "bin/python");
  await runCommand(python, ["-m", "pip", "install", "--quiet", `perago==${VERSION}`], { folder: "/" });
  return { version: VERSION, start: (options) => startWorker(join(folder, "bin/perago"), options) };
}

async function startWorker(program: string, { folder, taskName, processCount }: PythonWorkerOptions) {
  const [workspaces, logs] = [join(folder, "workspaces"), join(folder, "logs")];
  await mkdir(workspaces, { recursive: true });
  await mkdir(logs, { recursive: true });
  const own = { BENCH_PYTHON_TASK: taskName, PERAGO_WORKSPACE_ROOT: workspaces, PERAGO_LOG_ROOT: logs };
  const child = spawn(program, ["start", "bench_change", "-j", String(processCount)], {
    cwd: folder,
    env: { ...process.env, ...own, PYTHONPATH: MODULES, PYTHONDONTWRITEBYTECODE: "1" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr = `${stderr}${text}`.slice(-2000)));
  const { pid } = child;
  if (pid === undefined) throw new Error("the Python peer cannot be started");
  const ended = once(child, "close");
  const stop = (): Promise<void> => stopTree(pid, ended);
  try {
    const patience = { timeoutMs: READY_TIMEOUT_MS, everyMs: 100 };
    await until("the Python peer polls", () => hasBeenPolled(taskName), patience);
  } catch (error) {
    await stop();
    throw new Error(`the Python peer does not poll: ${stderr}`, { cause: error });
  }
  return { pid, stop };
}

/** SIGTERM first; what does not go (tried: the peer within 30 s did not) is killed, process by process. */
async function stopTree(pid: number, ended: Promise<unknown>): Promise<void> {
  const tree = processTree(pid);
  signal(pid, "SIGTERM");
  const timer = setTimeout(() => {
    for (const each of new Set([...tree, ...processTree(pid)])) signal(each, "SIGKILL");
  }, STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
