import type { Clock } from "../attempt/ports/clock.ts";
import { HOST_MARK } from "./environment.ts";
import { END_PROCESSES_POLL_MS, END_PROCESSES_TIMEOUT_MS } from "./limits.ts";
import { hasMark, lookAtProcesses, startedSince, type PidMark, type ProcessState } from "./process-table.ts";

/** Which processes are meant: those of a process group, and those whose environment carries one of the marks. */
export interface ProcessQuery {
  /** Id of the process group, which is its leader's pid. */
  readonly groupId?: number;
  /** `NAME=value` entries of `/proc/<pid>/environ` (Linux only). */
  readonly marks: readonly string[];
  /** No process that carries a mark was started earlier (`uptimeTicks`): older ones are not asked. Default: all are. */
  readonly sinceTicks?: number;
  /** Not meant, though it matches: the executor itself. */
  readonly keepPid?: number;
}

/** Whether processes can be listed one by one here. Elsewhere whole groups are killed instead. */
export const CAN_LIST_PROCESSES = process.platform === "linux";

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
    if (found.length > 0) await clock.wait(END_PROCESSES_POLL_MS);
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

/** Pids of the living processes that the query means. */
export async function findProcesses(query: ProcessQuery): Promise<readonly number[]> {
  if (!CAN_LIST_PROCESSES) return isGroupAlive(query.groupId) ? [-(query.groupId ?? 0)] : [];
  const states = await lookAtProcesses();
  return states.filter((state) => isMeant(state, query)).map(({ pid }) => pid);
}

/**
 * Whether anything that the query means may have been started since the mark, by a look at what was started since
 * alone. For bodies that stage nothing: rule T8 asks more of those that do.
 */
export function mayHaveStarted(query: ProcessQuery, mark: PidMark | undefined): boolean {
  const states = mark === undefined ? undefined : startedSince(mark);
  return states?.some((state) => isMeant(state, query)) ?? true;
}

/** Kills a process (a negative number: a group). One that is gone is no error. */
export function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // ESRCH: gone already. EPERM: not ours; it stays in the list, and the caller reports it.
  }
}

function isMeant({ pid, groupId, startTicks }: ProcessState, query: ProcessQuery): boolean {
  if (pid === process.pid || pid === query.keepPid) return false;
  if (query.groupId === groupId) return true;
  return startTicks >= (query.sinceTicks ?? 0) && hasMark(pid, query.marks);
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
