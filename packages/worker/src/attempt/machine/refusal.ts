import {
  LOGICAL_TASK_KEY,
  PublishFenceError,
  WORKFLOW_INSTANCE_ID,
  type FenceCommit,
  type OwnDelivery,
  type PublishRefusal,
} from "@perago/fence";
import type { Failure } from "../../failure.ts";
import { failure } from "./ending.ts";
import type { Common, WorkspaceInput } from "./state.ts";

/**
 * What the publish fence refuses, for a person (rule R3): rule, target and reason, the commit in the way with its
 * author
 * and message (cut, without control characters), and the mend. What matters most comes first: a reason is cut at its
 * end.
 */
export function refusalOf(
  decision: PublishRefusal | OwnDelivery,
  commits: readonly FenceCommit[],
  { facts, input }: Common & { readonly input: WorkspaceInput },
): Failure {
  const { code, message } = new PublishFenceError(decision);
  const text = `rule ${decision.rule} refuses ${input.repository}/${input.branch}: ${message}`;
  const inTheWay = commits.find(({ id }) => id === decision.commit?.id);
  return failure(code, text, mend(decision, inTheWay, facts));
}

function mend(
  decision: PublishRefusal | OwnDelivery,
  inTheWay: FenceCommit | undefined,
  facts: Common["facts"],
): string {
  const { head } = decision;
  const startAgain = `start a new workflow whose input ref is the protected head ${head}`;
  if (decision.kind === "own_delivery") return `the retry publishes over it; where none is left, ${startAgain}`;
  if (decision.reason === "newer_delivery") return "nothing to do: the newer delivery's output stands";
  if (decision.reason === "input_ref_not_found")
    return `the target was reset, or the ref is another branch's: ${startAgain}`;
  if (isLaterStep(inTheWay, facts))
    return `a later step of this workflow published it and would lose it: ${startAgain}`;
  return `decide whose data counts, then ${startAgain}`;
}

/** A rerun of an earlier step: known and right, but surprising to who asked for it. */
function isLaterStep(commit: FenceCommit | undefined, { polled, logicalTaskKey }: Common["facts"]): boolean {
  const metadata = commit?.metadata ?? {};
  return metadata[WORKFLOW_INSTANCE_ID] === polled.workflowInstanceId && metadata[LOGICAL_TASK_KEY] !== logicalTaskKey;
}
