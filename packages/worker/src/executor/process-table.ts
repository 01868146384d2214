import { readdirSync, readFileSync } from "node:fs";
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
    const stat = readProc(pid, "stat");
    const state = stat === undefined ? undefined : parseStat(stat);
    if (state?.isAlive === true) states.push({ pid: Number(pid), ...state });
  }
  return states;
}

/** Whether a process was started with one of the entries `NAME=value` in its environment. */
export function hasMark(pid: number, marks: readonly string[]): boolean {
  const environ = marks.length === 0 ? undefined : readProc(pid, "environ");
  return environ !== undefined && environ.split("\0").some((entry) => marks.includes(entry));
}

/** The time since boot as `startTicks` counts it, rounded down; undefined where it cannot be read. */
export function uptimeTicks(): number | undefined {
  const seconds = Number.parseFloat(readProc("", "uptime") ?? "");
  return Number.isNaN(seconds) ? undefined : Math.floor(seconds * TICKS_PER_SECOND) - 1;
}

/**
 * The newest process id that was given out, to a process or a thread of anybody; undefined where it cannot be read. As
 * long as it stays the same nobody has started anything.
 */
export function newestPid(): string | undefined {
  return readProc("", "loadavg")?.trim().split(" ").at(-1);
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

function readProc(pid: string | number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    // Gone meanwhile, or another user's: out of reach.
    return undefined;
  }
}
