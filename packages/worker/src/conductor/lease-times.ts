/** Reads of the attempt go on at this pace where a task has no lease (response timeout 0). */
export const WATCH_INTERVAL_MS = 10_000;
/** A heartbeat is given up after a third of the lease, within these bounds. */
const HEARTBEAT_TIMEOUT_MIN_MS = 500;
const HEARTBEAT_TIMEOUT_MAX_MS = 10_000;
/** After a heartbeat without an answer the next one comes sooner, but not sooner than this. */
const RETRY_MIN_MS = 200;
/** Longest wait that a timer of Node can do; a longer one would fire at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;
/** A heartbeat goes first where less than this part of a lease is left at receipt. */
const FULL_ENOUGH = 2 / 3;

/** Everything that one lease counts with, milliseconds. */
export interface LeaseTimes {
  /** Length of the lease; Infinity where the engine sets none. */
  readonly leaseMs: number;
  readonly cadenceMs: number;
  readonly heartbeatTimeoutMs: number;
  /** Wait after a heartbeat that failed. */
  readonly retryMs: number;
}

/** The times of a lease: cadence `min(heartbeatIntervalSeconds, responseSeconds / 3)`. */
export function leaseTimes(input: {
  /** 0 means no lease. */
  readonly responseTimeoutSeconds: number;
  /** From the publish budget, where the task has one. */
  readonly heartbeatIntervalSeconds?: number;
}): LeaseTimes {
  const intervalMs = (input.heartbeatIntervalSeconds ?? Infinity) * 1000;
  if (input.responseTimeoutSeconds === 0) {
    const watchMs = Math.min(intervalMs, WATCH_INTERVAL_MS);
    return { leaseMs: Infinity, cadenceMs: watchMs, heartbeatTimeoutMs: HEARTBEAT_TIMEOUT_MAX_MS, retryMs: watchMs };
  }
  const leaseMs = input.responseTimeoutSeconds * 1000;
  const cadenceMs = Math.min(intervalMs, leaseMs / 3, TIMER_MAX_MS);
  return {
    leaseMs,
    cadenceMs,
    heartbeatTimeoutMs: Math.max(HEARTBEAT_TIMEOUT_MIN_MS, Math.min(HEARTBEAT_TIMEOUT_MAX_MS, leaseMs / 3)),
    retryMs: Math.min(cadenceMs, Math.max(RETRY_MIN_MS, cadenceMs / 4)),
  };
}

/**
 * The first deadline (rule A1): counted from the sending of the poll. The engine starts the lease when it hands the
 * task out, which is later, so this is never too long. It is too short by the time that the poll waited, at most the 1
 * s that a poll may wait.
 */
export function firstDeadlineMs(pollSentAtMs: number, leaseMs: number): number {
  return pollSentAtMs + leaseMs;
}

/** Whether a heartbeat goes before anything else: less than two thirds of a lease is left. */
export function needsHeartbeatFirst(input: {
  readonly nowMs: number;
  readonly deadlineMs: number;
  readonly leaseMs: number;
}): boolean {
  if (input.leaseMs === Infinity) return false;
  return input.deadlineMs - input.nowMs < input.leaseMs * FULL_ENOUGH;
}
