import type { TaskRun, WorkflowRun } from "../model/run.ts";

/** Reads a task as it was written. Throws where the record is broken: it is our own. */
export function readTaskRun(text: string): TaskRun {
  const value: unknown = JSON.parse(text);
  if (!isTaskRun(value)) throw new Error("a task's record is broken");
  return value;
}

/** Reads a run as it was written. */
export function readWorkflowRun(text: string): WorkflowRun {
  const value: unknown = JSON.parse(text);
  if (!isWorkflowRun(value)) throw new Error("a workflow's record is broken");
  return value;
}

// Only this package writes these records, in one transaction each: the identifying fields tell a record from anything
// else.
function isTaskRun(value: unknown): value is TaskRun {
  return isRecord(value) && typeof value["taskId"] === "string" && isRecord(value["workflowTask"]);
}

function isWorkflowRun(value: unknown): value is WorkflowRun {
  return isRecord(value) && typeof value["workflowId"] === "string" && isRecord(value["workflowDefinition"]);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
