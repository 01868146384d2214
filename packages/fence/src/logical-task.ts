import { assert } from "./assert.ts";

/**
 * What names a logical task: retries, reruns and restarts of one step share all four; a new workflow does not (case
 * R16).
 */
export interface LogicalTaskParts {
  readonly workflowInstanceId: string;
  readonly referenceTaskName: string;
  /** Conductor's loop iteration, 0 outside loops. */
  readonly iteration: number;
  readonly taskDefName: string;
}

/**
 * The key that retries of one step share, `{workflowInstanceId}:{referenceTaskName}:{iteration}:{taskDefName}`. `%` and
 * `:` in a part are percent-encoded, so two different steps never share a key. It is compared, never parsed.
 */
export function logicalTaskKey(parts: LogicalTaskParts): string {
  assert(Number.isSafeInteger(parts.iteration) && parts.iteration >= 0, "not a whole number >= 0: iteration");
  const texts = [parts.workflowInstanceId, parts.referenceTaskName, String(parts.iteration), parts.taskDefName];
  return texts.map(encodePart).join(":");
}

function encodePart(part: string): string {
  return part.replaceAll("%", "%25").replaceAll(":", "%3A");
}
