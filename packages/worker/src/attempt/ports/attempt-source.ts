import type { AttemptIdentity } from "@perago/fence";

/** A task as Conductor handed it out, reduced to what one attempt needs. */
export interface PolledTask extends AttemptIdentity {
  readonly taskDefName: string;
  readonly referenceTaskName: string;
  readonly iteration: number;
  /** The task id that this one retries, where the engine says so. */
  readonly retriedTaskId?: string;
  readonly inputData: unknown;
  /** Path of an input stored outside the engine (rule I6, case J10). */
  readonly externalInputPath?: string;
  /** Lease length; 0 means none. */
  readonly responseTimeoutSeconds: number;
  /** Monotonic time at which the poll was sent (rule A1), and at which the answer came. */
  readonly pollSentAtMs: number;
  readonly receivedAtMs: number;
}

/**
 * One fresh read of a task: who holds it, its status, and enough of its output to know our own again (rules A1, R6,
 * R8).
 */
export interface TaskRead extends AttemptIdentity {
  readonly status: string;
  /** `outputData.workspace.ref`, where there is one. */
  readonly outputRef?: string;
  /** Whether `outputData` has a `result`. */
  readonly hasResult: boolean;
}

/** What Conductor is told. */
export type ReportStatus = "COMPLETED" | "FAILED" | "FAILED_WITH_TERMINAL_ERROR";

/** One result, as it is sent. */
export interface Report {
  readonly workflowInstanceId: string;
  readonly taskId: string;
  readonly workerId: string;
  readonly status: ReportStatus;
  readonly reasonForIncompletion?: string;
  /** The whole output as serialized JSON text of an object, or nothing. */
  readonly outputJson?: string;
}

/**
 * Conductor as one attempt sees it. Methods throw `AttemptError` with `server_unavailable` when no answer can be had.
 */
export interface AttemptSource {
  /** A fresh read; null where the engine does not know the task (rule A1). */
  read(taskId: string): Promise<TaskRead | null>;
  /** One request bounded by `timeoutMs` (rule R4). */
  report(report: Report, timeoutMs: number): Promise<void>;
}

/**
 * The lease of one polled task: heartbeats run beside the attempt (rules A1, A4, C9). The deadline is monotonic and
 * counts from the sending of the last request that the engine accepted.
 */
export interface Lease {
  deadlineMs(): number;
  /** Sends a heartbeat now and waits for its answer; throws `AttemptError` where none comes. */
  extend(): Promise<void>;
  /** Stops the heartbeats and waits for the one in flight (rule R4); `unanswered` when one ended without an answer. */
  stop(): Promise<{ readonly unanswered: boolean }>;
}
