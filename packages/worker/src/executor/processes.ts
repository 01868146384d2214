import { readdir, readFile } from "node:fs/promises";
import type { Clock } from "../attempt/ports/clock.ts";
import { HOST_MARK } from "./environment.ts";
import { END_PROCESSES_POLL_MS, END_PROCESSES_TIMEOUT_MS } from "./limits.ts";

/** Which processes are meant: those of a process group, and those whose environment carries one of the marks. */
export interface ProcessQuery {
  /** Id of the process group, which is its leader's pid. */
  readonly groupId?: number;
  /** `NAME=value` entries of `/proc/<pid>/environ` (Linux only). */
  readonly marks: readonly string[];
  /** Not meant, though it matches: the executor itself. */
  readonly keepPid?: number;
}

/** Whether processes can be listed one by one here. Elsewhere whole groups are killed instead. */
export const CAN_LIST_PROCESSES = process.platform === "linux";

const READ_CONCURRENCY = 16;

/**
 * Kills the processes that the query means and waits until none is left (rule T8, case S05). Two looks in a row must
 * find nothing, so that one that is just being forked does not slip through. Answers the pids that do not go away
 * within 10 s; nothing on success.
 */
export async function endProcesses(query: ProcessQuery, clock: Clock): Promise<readonly number[]> {
  const deadlineMs = clock.nowMs() + END_PROCESSES_TIMEOUT_MS;
  let emptyLooks = 0;
  let found: readonly number[] = [];
  do {
    found = await findProcesses(query);
    emptyLooks = found.length === 0 ? emptyLooks + 1 : 0;
    if (emptyLooks === 2) return [];
    for (const pid of found) killProcess(pid);
    await clock.wait(END_PROCESSES_POLL_MS);
  } while (clock.nowMs() < deadlineMs);
  return found;
}

/**
 * Ends what executors of a killed host left behind, by the pool's `hostMark`; call it under the host's lock, before the
 * pool starts anything (case S06). Linux only; elsewhere it finds nothing.
 */
export function endStrays(hostMark: string, clock: Clock): Promise<readonly number[]> {
  return endProcesses({ marks: [`${HOST_MARK}=${hostMark}`] }, clock);
}

/** Pids of the living processes that the query means. A zombie can write no more and does not count. */
export async function findProcesses(query: ProcessQuery): Promise<readonly number[]> {
  if (!CAN_LIST_PROCESSES) return isGroupAlive(query.groupId) ? [-(query.groupId ?? 0)] : [];
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const candidates = pids.filter((pid) => pid !== process.pid && pid !== query.keepPid).values();
  const found: number[] = [];
  const worker = async (): Promise<void> => {
    for (const pid of candidates) if (await isMeant(pid, query)) found.push(pid);
  };
  await Promise.all(Array.from({ length: READ_CONCURRENCY }, worker));
  return found;
}

/** Kills a process (a negative number: a group). One that is gone is no error. */
export function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // ESRCH: gone already. EPERM: not ours; it stays in the list, and the caller reports it.
  }
}

async function isMeant(pid: number, query: ProcessQuery): Promise<boolean> {
  const stat = await readProc(pid, "stat");
  const state = stat === undefined ? undefined : parseStat(stat);
  if (state === undefined || !state.isAlive) return false;
  if (query.groupId !== undefined && state.groupId === query.groupId) return true;
  if (query.marks.length === 0) return false;
  const environ = await readProc(pid, "environ");
  return environ !== undefined && environ.split("\0").some((entry) => query.marks.includes(entry));
}

/** Reads the fields behind the command's name, which itself may hold anything. */
export function parseStat(stat: string): { readonly isAlive: boolean; readonly groupId: number } | undefined {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, , groupId] = fields;
  if (state === undefined || groupId === undefined) return undefined;
  // A zombie whose other threads still run is alive; the thread count is field 20 of proc_pid_stat(5).
  const isAlive = (state !== "Z" && state !== "X") || Number(fields[17]) > 1;
  return { isAlive, groupId: Number(groupId) };
}

async function readProc(pid: number, file: string): Promise<string | undefined> {
  try {
    return await readFile(`/proc/${pid}/${file}`, "latin1");
  } catch {
    // Gone meanwhile, or another user's: out of reach.
    return undefined;
  }
}

function isGroupAlive(groupId: number | undefined): boolean {
  if (groupId === undefined) return false;
  try {
    process.kill(-groupId, 0);
    return true;
  } catch {
    return false;
  }
}
