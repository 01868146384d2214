import type { PolledTask } from "../ports/attempt-source.ts";

/** What the task's declaration says about its workspace. */
export interface WorkspaceFacts {
  readonly prefix: string;
  readonly readOnly: boolean;
  readonly hasPostGuardrails: boolean;
}

/** `PERAGO_HARD_FENCE` (rule H2). */
export type HardFenceMode = "off" | "auto" | "required";

/** Everything that is fixed for one execution before its first step. All times in milliseconds. */
export interface AttemptFacts {
  readonly polled: PolledTask;
  readonly workspace?: WorkspaceFacts;
  /** Patterns of `repository/branch` (rule I7); all targets where it is absent. */
  readonly allowedTargets?: readonly string[];
  readonly logicalTaskKey: string;
  readonly executionId: string;
  /** `perago.worker_id`: prefix and four-digit slot. */
  readonly workerId: string;
  /** `perago.writer`: `ts/<version>`. */
  readonly writer: string;
  readonly conductorLink?: string;
  /** Age at which the body is ended; 0 means never (rule A5). */
  readonly bodyTimeoutMs: number;
  /** Rule H2; `off` reads nothing of the hard fence. */
  readonly hardFence: HardFenceMode;
  /** Rule C4. */
  readonly mergeTimeoutMs: number;
  /** Bounds each report request (rule R4). */
  readonly reportTimeoutMs: number;
  readonly outputLimitBytes: number;
  /** Rule R3; default 500, the length at which the engine cuts. */
  readonly reasonMaxLength: number;
}

/** The named bounds of the transaction. */
export const BOUNDS = {
  /** Commits walked between head and input ref (rule P2); one more is the input ref itself. */
  walkCommits: 1024,
  /** Age of A2's answer at which a merge is no longer sent (rule C9). */
  attemptCheckAgeMs: 5000,
  /** How often the end of the order (pin, check, merge) is begun again before the attempt gives up (rules C8, C9). */
  mergeRounds: 50,
  /** Wait before a result is sent again (rule R4). */
  reportPauseMs: 1000,
  /** Read-backs after a heartbeat that ended without an answer (rule R4). */
  lateReadBacksMs: [1000, 5000, 15_000],
} as const;
