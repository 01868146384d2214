/**
 * Every code a failed attempt may carry (rule R7). The status each leads to stands in
 * `attempt/machine/result-table.ts`.
 */
export const FAILURE_CODES = [
  "input_invalid",
  "ref_invalid",
  "target_not_allowed",
  "guardrail_pre",
  "guardrail_post",
  "body_failed",
  "body_terminal",
  "body_timeout",
  "executor_lost",
  "output_invalid",
  "output_too_large",
  "workspace_unstageable",
  "attempt_stale",
  "publish_fence",
  "superseded_by_newer",
  "already_published",
  "merge_conflict",
  "target_dirty",
  "target_protected",
  "hook_refused",
  "publish_unknown",
  "publish_race",
  "server_unavailable",
  "result_not_ours",
] as const;

/** One of the codes of rule R7. */
export type FailureCode = (typeof FAILURE_CODES)[number];

/**
 * Why an attempt failed, as data: the code, the thing that failed, and the mend (rule R3). Never a secret or a host
 * path.
 */
export interface Failure {
  readonly code: FailureCode;
  readonly message: string;
  readonly hint: string;
}

/**
 * What a port throws when the world refuses: a `Failure` as an error. Anything else that a port throws is our own
 * mistake or unforeseen, and ends the attempt as `server_unavailable`.
 */
export class AttemptError extends Error {
  readonly code: FailureCode;
  readonly hint: string;

  constructor(failure: Failure, options?: { cause?: unknown }) {
    super(failure.message, options);
    this.name = "AttemptError";
    this.code = failure.code;
    this.hint = failure.hint;
  }
}
