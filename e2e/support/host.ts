import { mkdir, mkdtemp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFailed, TestRunner } from "vitest";
import { atEnd } from "./at-end.ts";
import { spawnPerago, type Ended, type PeragoProcess } from "./perago.ts";
import type { TestRun } from "./test-run.ts";
import { until } from "./until.ts";

const READY_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 40_000;
const SETTLE_TIMEOUT_MS = 5000;
const SHOWN_OUTPUT_CHARS = 6000;

/** How a host is started. */
export interface HostOptions {
  /** Default: the modules that the test run registered. */
  readonly modules?: readonly string[];
  /** Arguments beside them, such as `["-j", "2"]`. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Takes the place of the real server, such as a proxy before it. */
  readonly conductorUrl?: string;
  readonly lakefsUrl?: string;
  /** Folder of an earlier host, to start in its place. Default: a new one. */
  readonly home?: string;
}

/** A `perago start` process with a workspace root, log root and worker ids of its own. */
export interface Host {
  readonly pid: number;
  readonly home: string;
  readonly workspaceRoot: string;
  readonly logRoot: string;
  /** Conductor's worker id of this host. */
  readonly workerIdPrefix: string;
  stdout(): string;
  stderr(): string;
  readonly ended: Promise<Ended>;
  isRunning(): boolean;
  /** Sends SIGTERM and waits for the end; says how long it took. */
  stop(): Promise<Ended & { readonly elapsedMs: number }>;
  /** Ends the host at once, as a crash does. */
  kill(): Promise<void>;
  /** What lies in the workspace root: folders of attempts, without the host's own files. */
  folders(): Promise<readonly string[]>;
  /** All lines of all log files, parsed, and those of stderr. */
  logText(): Promise<string>;
}

/**
 * Starts a host from the built command and waits until it polls. It is ended when the test (or the file, where it is
 * started outside a test) ends, and its output is shown where the test failed.
 */
export async function startHost(run: TestRun, options: HostOptions = {}): Promise<Host> {
  const home = options.home ?? (await mkdtemp(join(run.root, "host-")));
  const workspaceRoot = join(home, "workspaces");
  const logRoot = join(home, "logs");
  await mkdir(workspaceRoot, { recursive: true });
  const workerIdPrefix = `e2e-${home.slice(-6)}-`;
  const modules = options.modules ?? run.modules;
  const running = spawnPerago(["start", ...modules, "--json", ...(options.args ?? [])], {
    folder: home,
    env: {
      ...run.env,
      PERAGO_WORKSPACE_ROOT: workspaceRoot,
      PERAGO_LOG_ROOT: logRoot,
      PERAGO_CACHE_ROOT: join(home, "cache"),
      PERAGO_WORKER_ID_PREFIX: workerIdPrefix,
      ...(options.conductorUrl === undefined ? {} : { CONDUCTOR_SERVER_URL: options.conductorUrl }),
      ...(options.lakefsUrl === undefined ? {} : { LAKECTL_SERVER_ENDPOINT_URL: options.lakefsUrl }),
      ...options.env,
    },
  });
  const { child, pid, ended, stdout, stderr } = running;
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  const kill = async (): Promise<void> => {
    if (isRunning()) child.kill("SIGKILL");
    await ended;
  };
  atEnd(() => settle(running));
  if (TestRunner.getCurrentTest() !== undefined) {
    onTestFailed(() => {
      process.stderr.write(`--- host ${pid}
${`${stdout()}${stderr()}`.slice(-SHOWN_OUTPUT_CHARS)}
`);
    });
  }
  await until(
    "the host is ready",
    () => {
      if (!isRunning()) throw new Error(`the host ended with ${child.exitCode}: ${stdout()}${stderr()}`);
      return isReady(stdout());
    },
    { timeoutMs: READY_TIMEOUT_MS },
    () => stderr().slice(-2000),
  );
  return {
    pid,
    home,
    workspaceRoot,
    logRoot,
    workerIdPrefix,
    stdout,
    stderr,
    ended,
    isRunning,
    async stop() {
      const startMs = performance.now();
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
      const end = await ended;
      clearTimeout(timer);
      return { ...end, elapsedMs: performance.now() - startMs };
    },
    kill,
    folders: () => listFolders(workspaceRoot),
    logText: async () => `${stderr()}\n${await readLogs(logRoot)}`,
  };
}

/**
 * Drains a host at the end of its test: one that is killed while it polls leaves a poll open at the engine, which then
 * gives a later test's task to nobody (case R11).
 */
async function settle({ child, ended }: PeragoProcess): Promise<void> {
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), SETTLE_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}

/** The line that `--json` prints when the host polls. */
function isReady(stdout: string): boolean {
  return stdout.split("\n").some((line) => {
    if (!line.startsWith("{")) return false;
    try {
      const event: unknown = JSON.parse(line);
      return typeof event === "object" && event !== null && "event" in event && event.event === "ready";
    } catch {
      // The rest of the line has not come yet.
      return false;
    }
  });
}

async function listFolders(workspaceRoot: string): Promise<readonly string[]> {
  const workers = await folderNames(workspaceRoot);
  const found = workers.map(async (worker) => {
    const attempts = await folderNames(join(workspaceRoot, worker));
    return attempts.length === 0 ? [worker] : attempts.map((attempt) => `${worker}/${attempt}`);
  });
  return (await Promise.all(found)).flat();
}

async function folderNames(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  } catch (error) {
    // It went away after it was listed.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

async function readLogs(logRoot: string): Promise<string> {
  const entries = await readdir(logRoot, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(files.toSorted().map((file) => readFile(file, "utf8")))).join("\n");
}
