import { isTaskEnded, isWorkflowEnded, type TaskRun, type WorkflowStatus } from "../model/run.ts";
import type { Draft } from "./draft.ts";

/** Ends the decision: the workflow ends unsuccessfully. */
export class EndOfRun extends Error {
  readonly status: WorkflowStatus;
  /** The task it is about. */
  readonly task: TaskRun | undefined;

  constructor(reason: string, status: WorkflowStatus, task?: TaskRun) {
    super(reason);
    this.name = "EndOfRun";
    this.status = status;
    this.task = task;
  }
}

/** Ends a run: output, failed names, reason; tasks that have not ended are cancelled. */
export function endRun(draft: Draft, status: WorkflowStatus, reason: string | undefined, task?: TaskRun): void {
  const { workflow } = draft;
  draft.touchWorkflow();
  if (!isWorkflowEnded(workflow.status)) workflow.status = status;
  if (task !== undefined) {
    workflow.failedTaskId ??= task.taskId;
    draft.touch(task);
  }
  setOutput(draft, task);
  noteFailures(draft);
  workflow.reasonForIncompletion = reason;
  workflow.endTime = draft.env.nowMs;
  cancelOpenTasks(draft);
}

/** Ends a run well. */
export function completeRun(draft: Draft): void {
  const { workflow } = draft;
  draft.touchWorkflow();
  setOutput(draft);
  workflow.status = "COMPLETED";
  workflow.endTime = draft.env.nowMs;
  noteFailures(draft);
}

function cancelOpenTasks(draft: Draft): void {
  for (const task of draft.tasks) {
    if (isTaskEnded(task.status)) continue;
    task.status = "CANCELED";
    draft.touch(task);
  }
}

function noteFailures(draft: Draft): void {
  const { workflow } = draft;
  const failed = draft.tasks.filter((task) => task.status === "FAILED" || task.status === "FAILED_WITH_TERMINAL_ERROR");
  const references = failed.map((task) => task.referenceTaskName);
  const names = failed.map((task) => task.taskDefName);
  workflow.failedReferenceTaskNames = [...new Set([...workflow.failedReferenceTaskNames, ...references])];
  workflow.failedTaskNames = [...new Set([...workflow.failedTaskNames, ...names])];
}

/** The output: the definition's parameters, else what the given or the last task put out. */
function setOutput(draft: Draft, task?: TaskRun): void {
  const last = task ?? draft.tasks.at(-1);
  if (last === undefined) return;
  const parameters = draft.workflow.workflowDefinition.outputParameters;
  const hasParameters = Object.keys(parameters).length > 0;
  draft.workflow.output = hasParameters ? draft.input(parameters) : structuredClone(last.outputData);
}
