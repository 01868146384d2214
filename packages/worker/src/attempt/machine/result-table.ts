import type { FailureCode } from "../../failure.ts";
import type { ReportStatus } from "../ports/attempt-source.ts";

/** The one table that decides retry or terminal, by code alone (protocol, "Results"; rule R7). */
export const STATUS_OF_CODE: Readonly<Record<FailureCode, Exclude<ReportStatus, "COMPLETED">>> = {
  input_invalid: "FAILED_WITH_TERMINAL_ERROR",
  ref_invalid: "FAILED_WITH_TERMINAL_ERROR",
  target_not_allowed: "FAILED_WITH_TERMINAL_ERROR",
  guardrail_pre: "FAILED_WITH_TERMINAL_ERROR",
  body_terminal: "FAILED_WITH_TERMINAL_ERROR",
  guardrail_post: "FAILED",
  body_failed: "FAILED",
  body_timeout: "FAILED",
  executor_lost: "FAILED",
  output_invalid: "FAILED",
  output_too_large: "FAILED",
  workspace_unstageable: "FAILED",
  attempt_stale: "FAILED",
  publish_fence: "FAILED",
  superseded_by_newer: "FAILED",
  already_published: "FAILED",
  merge_conflict: "FAILED",
  target_dirty: "FAILED",
  target_protected: "FAILED",
  hook_refused: "FAILED",
  publish_unknown: "FAILED",
  publish_race: "FAILED",
  server_unavailable: "FAILED",
  result_not_ours: "FAILED",
};
