import type { Failure, FailureCode } from "../../failure.ts";
import type { Closing, Common, Decision, Note, Outcome, State, WorkspaceInput } from "./state.ts";

/** Everything after the transaction begins here: heartbeats are stopped first (rule R4). */
export function end(state: Common, outcome: Outcome, notes: readonly Note[] = []): Decision {
  const { facts, owned, signal } = state;
  return { next: { phase: "stopLease", facts, owned, ...(signal ? { signal } : {}), outcome }, notes };
}

/** Ends with a failure. */
export function fail(state: Common, failure: Failure, notes: readonly Note[] = []): Decision {
  return end(state, { kind: "failed", failure }, notes);
}

/** A failure as data. */
export function failure(code: FailureCode, message: string, hint: string): Failure {
  return { code, message, hint };
}

/** Rule I3: the task's schema has refused its input. */
export function inputRefused(message: string): Failure {
  return failure("input_invalid", message, "start a new workflow with an input that fits the task's schema");
}

/** Rule C5: nobody knows yet whether the merge landed, and the text claims nothing. */
export function publishUnknown(input: WorkspaceInput, stagingCommit: string, detail: string): Failure {
  const target = `${input.repository}/${input.branch}`;
  const message = `it is not known whether the merge of ${stagingCommit} into ${target} landed: ${detail}`;
  const hint = "the next attempt reads the target's history and supersedes what it finds";
  return failure("publish_unknown", message, hint);
}

/**
 * The output of rule I2. A published commit and the input ref have the same length, so the size is known before (rule
 * I3).
 */
export function outputJson(resultJson: string, workspace?: WorkspaceInput): string {
  if (workspace === undefined) return `{"result":${resultJson}}`;
  const { repository, branch, ref } = workspace;
  return `{"workspace":${JSON.stringify({ repository, branch, refType: "commit", ref })},"result":${resultJson}}`;
}

/** The outcome of an attempt with a workspace that did what it was asked (rule I2). */
export function completed(
  state: Common & { readonly input: WorkspaceInput; readonly resultJson: string },
  by: "commit" | "adoption" | "no_op" | "read_only",
  ref: string,
): Outcome {
  return { kind: "completed", by, ref, outputJson: outputJson(state.resultJson, { ...state.input, ref }) };
}

/** Cleanup in its order; each step only where there is something to undo (rule X1). */
export function close(state: Closing): State<"deleteStaging" | "removeFolder" | "releaseExecutor"> {
  if (state.owned.staging !== undefined) return { ...state, phase: "deleteStaging" };
  if (state.owned.folder) return { ...state, phase: "removeFolder" };
  return { ...state, phase: "releaseExecutor" };
}
