/** One hand-out of an attempt to one worker, as Conductor's task record names it (rule A1). */
export interface AttemptIdentity {
  readonly workflowInstanceId: string;
  readonly taskId: string;
  readonly retryCount: number;
  /** Milliseconds by the engine's clock; together with the task id it names the delivery. */
  readonly scheduledTime: number;
  readonly pollCount: number;
  readonly workerId: string;
}

/** The task as freshly read from Conductor; null where the engine does not know the task. */
export type AttemptRead = (AttemptIdentity & { readonly status: string }) | null;

/** Input of `checkAttempt`. */
export interface AttemptCheck {
  readonly held: AttemptIdentity;
  readonly read: AttemptRead;
  /** Both on one monotonic clock. The deadline counts from the sending of the poll or of the last heartbeat. */
  readonly nowMs: number;
  readonly leaseDeadlineMs: number;
}

/** Why the attempt is no longer ours to publish. */
export type StaleReason = "not_found" | "other_attempt" | "not_in_progress" | "lease_expired";
/** What shows that another execution holds the attempt. */
export type HeldElsewhereReason = "other_delivery" | "other_worker" | "other_poll";

/**
 * `stale` is a plain FAILED; at `held_elsewhere` nothing is reported, because a FAILED would end the other's run (rule
 * A3).
 */
export type AttemptVerdict =
  | { readonly verdict: "current" }
  | { readonly verdict: "stale"; readonly reason: StaleReason }
  | { readonly verdict: "held_elsewhere"; readonly reason: HeldElsewhereReason };

/**
 * The attempt fence (rules A1 and A3): may this execution go on? Who holds the attempt is looked at before the lease,
 * so that an execution whose lease has ended never fails its successor. A task in progress with another scheduled time
 * is a rerun that somebody holds.
 */
export function checkAttempt({ held, read, nowMs, leaseDeadlineMs }: AttemptCheck): AttemptVerdict {
  const gone = notRunning(held, read);
  if (gone !== undefined) return { verdict: "stale", reason: gone };
  const holder = otherHolder(held, read);
  if (holder !== undefined) return { verdict: "held_elsewhere", reason: holder };
  // Written so that NaN is late too.
  if (!(nowMs < leaseDeadlineMs)) return { verdict: "stale", reason: "lease_expired" };
  return { verdict: "current" };
}

/**
 * What a worker wants to report. Without a commit of this execution (no-op, adoption) a COMPLETED proves nothing about
 * who ran.
 */
export type ReportOutcome = "completed_with_commit" | "completed_without_commit" | "failed" | "terminal";

/** Whether a result may be sent, and if not, why: the caller logs it as `result_not_ours`. */
export type ReportDecision =
  | { readonly send: true }
  | {
      readonly send: false;
      readonly reason: "not_found" | "other_attempt" | "not_in_progress" | HeldElsewhereReason;
    };

/**
 * Rule R8: only the delivery that is in progress gets a result, and everything but a COMPLETED with an own commit also
 * needs the same worker and poll. Conductor checks neither.
 */
export function mayReport(input: {
  readonly held: AttemptIdentity;
  readonly read: AttemptRead;
  readonly outcome: ReportOutcome;
}): ReportDecision {
  const { held, read, outcome } = input;
  const gone = notRunning(held, read);
  if (gone !== undefined) return { send: false, reason: gone };
  const holder = otherHolder(held, read);
  if (holder === undefined) return { send: true };
  if (holder !== "other_delivery" && outcome === "completed_with_commit") return { send: true };
  return { send: false, reason: holder };
}

/** What the read after a report shows. `send_again` goes through `mayReport` first. */
export type ReadBack =
  | { readonly result: "accepted" }
  | { readonly result: "send_again" }
  | {
      readonly result: "dropped";
      readonly reason: "not_found" | "other_attempt" | "other_delivery" | "other_status" | "other_output";
    };

/** The status that a worker reported. */
export type ReportedStatus = "COMPLETED" | "FAILED" | "FAILED_WITH_TERMINAL_ERROR";

/**
 * Rule R6: did the engine take the result? It answers 200 also when it drops one. `sameOutput` says whether the output
 * read back is the one that was sent; it counts for COMPLETED only.
 */
export function classifyReadBack(input: {
  readonly held: AttemptIdentity;
  readonly read: AttemptRead;
  readonly reported: ReportedStatus;
  readonly sameOutput: boolean;
}): ReadBack {
  const { held, read, reported, sameOutput } = input;
  const other = otherAttempt(held, read);
  if (other !== undefined) return { result: "dropped", reason: other };
  if (read?.scheduledTime !== held.scheduledTime) return { result: "dropped", reason: "other_delivery" };
  if (read.status === "IN_PROGRESS") return { result: "send_again" };
  if (!tookStatus(reported, read.status)) return { result: "dropped", reason: "other_status" };
  if (reported === "COMPLETED" && !sameOutput) return { result: "dropped", reason: "other_output" };
  return { result: "accepted" };
}

function tookStatus(reported: ReportedStatus, status: string): boolean {
  // The engine gives an optional task that failed for good this status.
  return status === reported || (reported !== "COMPLETED" && status === "COMPLETED_WITH_ERRORS");
}

function otherAttempt(held: AttemptIdentity, read: AttemptRead): "not_found" | "other_attempt" | undefined {
  if (read === null) return "not_found";
  const same =
    read.workflowInstanceId === held.workflowInstanceId &&
    read.taskId === held.taskId &&
    read.retryCount === held.retryCount;
  return same ? undefined : "other_attempt";
}

function notRunning(
  held: AttemptIdentity,
  read: AttemptRead,
): "not_found" | "other_attempt" | "not_in_progress" | undefined {
  return otherAttempt(held, read) ?? (read?.status === "IN_PROGRESS" ? undefined : "not_in_progress");
}

function otherHolder(held: AttemptIdentity, read: AttemptRead): HeldElsewhereReason | undefined {
  if (read?.scheduledTime !== held.scheduledTime) return "other_delivery";
  if (read.workerId !== held.workerId) return "other_worker";
  return read.pollCount === held.pollCount ? undefined : "other_poll";
}
