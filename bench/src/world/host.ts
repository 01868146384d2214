import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { spawnPerago } from "@perago/e2e/support/perago.ts";
import { until } from "@perago/e2e/support/until.ts";

const READY_TIMEOUT_MS = 30_000;
/** Files that a host with a cache makes in spare time. */
const STOCK_FILES = 1024;
const STOP_TIMEOUT_MS = 40_000;

/** How a host is started. */
export interface HostOptions {
  /** A folder of its own. */
  readonly home: string;
  readonly modules: readonly string[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A line of a host's log. */
export type LogLine = Readonly<Record<string, unknown>>;

/** A `perago start` process that polls, with roots, cache and worker ids of its own. */
export interface Host {
  readonly pid: number;
  /** Time from the start of the process to `ready`. */
  readonly startMs: number;
  /** Whether no folder of an attempt is left. */
  isIdle(): Promise<boolean>;
  /** Whether it has done all that it does in spare time: its stock of new files is there. */
  isRested(): Promise<boolean>;
  /** All lines of its logs so far, with those of debug level. */
  logLines(): Promise<readonly LogLine[]>;
  /** Drains it. */
  stop(): Promise<void>;
}

/** Starts a host of the built command and waits until it polls. */
export async function startHost(options: HostOptions): Promise<Host> {
  const { home, modules, args = [], env = {} } = options;
  const workspaceRoot = join(home, "workspaces");
  const logRoot = join(home, "logs");
  await mkdir(workspaceRoot, { recursive: true });
  const beginMs = performance.now();
  const running = spawnPerago(["start", ...modules, "--json", ...args], {
    folder: home,
    env: {
      PERAGO_WORKSPACE_ROOT: workspaceRoot,
      PERAGO_LOG_ROOT: logRoot,
      PERAGO_LOG_LEVEL: "debug",
      PERAGO_CACHE_ROOT: join(home, "cache"),
      PERAGO_WORKER_ID_PREFIX: `bench-${home.slice(-6)}-`,
      ...env,
    },
  });
  const { child, pid, ended, stdout, stderr } = running;
  await until(
    "the host is ready",
    () => {
      if (child.exitCode !== null) throw new Error(`the host ended with ${child.exitCode}: ${stdout()}${stderr()}`);
      return stdout().includes('"event":"ready"');
    },
    { timeoutMs: READY_TIMEOUT_MS, everyMs: 5 },
    () => stderr().slice(-2000),
  );
  return {
    pid,
    startMs: performance.now() - beginMs,
    isIdle: async () => (await attemptFolders(workspaceRoot)).length === 0,
    isRested: async () => {
      const stock = await readdir(join(home, "cache", "stock")).catch(() => undefined);
      return stock === undefined || stock.length >= STOCK_FILES;
    },
    logLines: () => readLines(logRoot),
    async stop() {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

async function attemptFolders(workspaceRoot: string): Promise<readonly string[]> {
  const workers = (await readdir(workspaceRoot, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const inside = workers.map(({ name }) => readdir(join(workspaceRoot, name)).catch(() => []));
  return (await Promise.all(inside)).flat();
}

async function readLines(logRoot: string): Promise<readonly LogLine[]> {
  const files = (await readdir(logRoot)).filter((name) => name.endsWith(".jsonl"));
  const texts = await Promise.all(files.map((name) => readFile(join(logRoot, name), "utf8")));
  return texts.flatMap((text) => text.split("\n")).flatMap(parseLine);
}

/** The line as an object; nothing for an empty one. */
export function parseLine(text: string): LogLine[] {
  if (text === "") return [];
  const line: unknown = JSON.parse(text);
  return typeof line === "object" && line !== null ? [{ ...line }] : [];
}
