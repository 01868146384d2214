import { existsSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { setImmediate as breathe } from "node:timers/promises";

/** A living process, as a look at `/proc` shows it. A zombie can write no more and is none. */
export interface ProcessState {
  readonly pid: number;
  readonly groupId: number;
  /** When it was started, in ticks since boot. */
  readonly startTicks: number;
}

/** Processes that are read before the event loop gets its turn: about 2 ms. */
const READS_AT_ONCE = 64;
/** Ticks of `/proc` in a second: the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** `/proc/loadavg` is shorter. */
const LOADAVG_BYTES = 128;
/** More pids than that are not looked at one by one. */
const MAX_PIDS_LOOKED_AT = 64;
/** An older mark tells nothing. */
const MAX_MARK_AGE_MS = 1_000;

let running: Promise<unknown> = Promise.resolve();
let queued: Promise<readonly ProcessState[]> | undefined;

/**
 * All living processes at some moment after the call. A look that has not begun yet serves everybody who waits for one:
 * slots that seal at the same time share it. Linux only.
 */
export function lookAtProcesses(): Promise<readonly ProcessState[]> {
  queued ??= running.then(() => {
    queued = undefined;
    const look = listProcesses();
    running = look.catch(() => undefined);
    return look;
  });
  return queued;
}

async function listProcesses(): Promise<readonly ProcessState[]> {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const states: ProcessState[] = [];
  // Read in place: each is a copy out of the kernel, and the thread pool would cost ten times as much.
  for (const [index, pid] of pids.entries()) {
    if (index % READS_AT_ONCE === READS_AT_ONCE - 1) await breathe();
    const state = readState(Number(pid));
    if (state !== undefined) states.push(state);
  }
  return states;
}

/** Whether a process was started with one of the entries `NAME=value` in its environment. */
export function hasMark(pid: number, marks: readonly string[]): boolean {
  const environ = marks.length === 0 ? undefined : readProc(pid, "environ");
  return environ !== undefined && environ.split("\0").some((entry) => marks.includes(entry));
}

/** Seconds since boot at the start of `performance.now()`, read once; NaN where it cannot be read. */
const originSeconds = once(() => Number.parseFloat(readProc("", "uptime") ?? "") - performance.now() / 1000);

/**
 * The time since boot as `startTicks` counts it, rounded down; undefined where it cannot be read. Too early by the time
 * that the machine has slept since, which only has older processes asked as well.
 */
export function uptimeTicks(): number | undefined {
  const seconds = originSeconds() + performance.now() / 1000;
  return Number.isNaN(seconds) ? undefined : Math.floor(seconds * TICKS_PER_SECOND) - 1;
}

/** The newest process id that was given out at some moment, to a process or a thread of anybody. */
export interface PidMark {
  readonly pid: number;
  /** When, monotonic. */
  readonly atMs: number;
}

/** The mark of now; undefined where it cannot be read. */
export function markPids(): PidMark | undefined {
  const pid = newestPid();
  return pid === undefined ? undefined : { pid, atMs: performance.now() };
}

/**
 * The processes and threads that were started since the mark and live, without a look at all the others: pids are given
 * out in a row. Undefined where that cannot be told, or would not be cheaper.
 */
export function startedSince(mark: PidMark): readonly ProcessState[] | undefined {
  // Pids come round again, but not within a second.
  if (performance.now() - mark.atMs > MAX_MARK_AGE_MS) return undefined;
  const states: ProcessState[] = [];
  // What forks while it is looked for has a child of a higher pid; when there is none, nothing has slipped through.
  for (let known = mark.pid; ;) {
    const newest = newestPid();
    if (newest === known) return states;
    if (newest === undefined || newest < known || newest - mark.pid > MAX_PIDS_LOOKED_AT) return undefined;
    for (known += 1; ; known += 1) {
      const state = existsSync(`/proc/${known}`) ? readState(known) : undefined;
      if (state !== undefined) states.push(state);
      if (known === newest) break;
    }
  }
}

/** Open for good: reading it again costs one call into the system. */
const loadavg = once(() => openSync("/proc/loadavg", "r"));
const loadavgBytes = Buffer.alloc(LOADAVG_BYTES);

function newestPid(): number | undefined {
  try {
    const sizeBytes = readSync(loadavg(), loadavgBytes, 0, LOADAVG_BYTES, 0);
    const pid = Number(loadavgBytes.toString("latin1", 0, sizeBytes).trim().split(" ").at(-1));
    return Number.isSafeInteger(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}

function readState(pid: number): ProcessState | undefined {
  const stat = readProc(pid, "stat");
  const state = stat === undefined ? undefined : parseStat(stat);
  return state?.isAlive === true ? { pid, groupId: state.groupId, startTicks: state.startTicks } : undefined;
}

/** Reads the fields behind the command's name, which itself may hold anything. */
export function parseStat(
  stat: string,
): { readonly isAlive: boolean; readonly groupId: number; readonly startTicks: number } | undefined {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, , groupId] = fields;
  if (state === undefined || groupId === undefined) return undefined;
  // A zombie whose other threads still run is alive; threads and start are fields 20 and 22 of proc_pid_stat(5).
  const isAlive = (state !== "Z" && state !== "X") || Number(fields[17]) > 1;
  return { isAlive, groupId: Number(groupId), startTicks: Number(fields[19]) };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function readProc(pid: string | number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    // Gone meanwhile, or another user's: out of reach.
    return undefined;
  }
}
