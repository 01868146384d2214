import type { Clock } from "../attempt/ports/clock.ts";
import { AttemptError } from "../failure.ts";
import type { ExecutorChild } from "./executor-child.ts";
import { later } from "./later.ts";
import { END_PROCESSES_TIMEOUT_MS, INSPECT_TIMEOUT_MS, SETTLE_MS, SETTLE_POLL_MS } from "./limits.ts";
import type { Account } from "./messages.ts";
import { CAN_LIST_PROCESSES, endProcesses } from "./processes.ts";

/**
 * Rule T8: asks the executor until nothing beyond its baseline is left; one where something stays, or that does not
 * answer, is killed. Answers its resident memory in bytes, where it lives. `told` is what it said with the outcome.
 */
export async function settle(child: ExecutorChild, clock: Clock, told?: Account): Promise<number | undefined> {
  if (told?.extra.length === 0 && child.isAlive()) return told.rssBytes;
  const deadlineMs = clock.nowMs() + SETTLE_MS;
  while (child.isAlive()) {
    const reply = await within(child, clock, INSPECT_TIMEOUT_MS, "it did not answer after the body's end", () =>
      child.request((call) => ({ type: "inspect", call })),
    );
    if (reply?.type !== "inspected") {
      child.kill("it gave no account of what the body left");
      return undefined;
    }
    if (reply.extra.length === 0) return reply.rssBytes;
    if (clock.nowMs() >= deadlineMs) {
      child.kill(`the body left ${reply.extra.join(", ")} behind`);
      return undefined;
    }
    await clock.wait(SETTLE_POLL_MS);
  }
  return undefined;
}

/** What the bodies of one hold may have started. */
export interface Started {
  /** See `ProcessQuery`. */
  readonly marks: readonly string[];
  /** When the first body began, as `uptimeTicks` counts. */
  readonly sinceTicks?: number;
}

/**
 * Rule T8, case S05: what is in the executor's group beside it, and on Linux what carries a mark, is killed and waited
 * for. Throws `workspace_unstageable` where something does not go away.
 */
export async function endGroup(child: ExecutorChild, started: Started, clock: Clock): Promise<void> {
  if (!CAN_LIST_PROCESSES) child.kill("processes cannot be listed on this system");
  const { pid } = child;
  const group = pid === undefined ? {} : { groupId: pid };
  const keep = pid !== undefined && child.isAlive() ? { keepPid: pid } : {};
  const left: (number | string)[] = [...(await endProcesses({ ...group, ...keep, ...started }, clock))];
  if (pid === undefined && !child.isAlive() && !(await hasEnded(child, clock))) left.push("a thread of the host");
  if (left.length === 0) return;
  throw new AttemptError({
    code: "workspace_unstageable",
    message: `what the body started cannot be ended: ${left.join(", ")}`,
    hint: "End what the body starts before it returns; look at these processes on the worker.",
  });
}

/** A thread that was killed still runs until its call into native code returns. */
async function hasEnded(child: ExecutorChild, clock: Clock): Promise<boolean> {
  const stop = new AbortController();
  const late = clock.wait(END_PROCESSES_TIMEOUT_MS, stop.signal).then(() => false);
  const ended = await Promise.race([child.ended.then(() => true), late]);
  stop.abort();
  return ended;
}

/** Does something with the executor, and kills it where the answer does not come in time. */
async function within<T>(
  child: ExecutorChild,
  clock: Clock,
  timeoutMs: number,
  reason: string,
  action: () => Promise<T>,
): Promise<T> {
  const heard = later(clock, timeoutMs, () => child.kill(reason));
  try {
    return await action();
  } finally {
    heard();
  }
}
