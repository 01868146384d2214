import { isSystemTask, isTaskEnded, isWorkflowEnded, type TaskRun } from "../model/run.ts";
import type { TaskResult } from "../model/task-result.ts";
import { decideDraft } from "./decide.ts";
import type { Draft } from "./draft.ts";

/** Longest reason that is kept, letters (tried). */
export const MAX_REASON_LENGTH = 500;
/** Larger outputs are not kept inline: they read back as `{}` (case J08, tried). */
export const MAX_INLINE_OUTPUT_BYTES = 3_145_728;
/** Larger outputs end the task as terminal (case J08, tried). */
export const MAX_OUTPUT_BYTES = 10_485_760;

/**
 * Takes a worker's result. False where it was dropped, because the task or the workflow has ended: the answer is 200
 * all the same (case R06). Neither the worker nor the lock is looked at.
 */
export function takeResult(draft: Draft, taskId: string, result: TaskResult): boolean {
  const task = draft.tasks.find((one) => one.taskId === taskId);
  if (task === undefined || isTaskEnded(task.status) || isWorkflowEnded(draft.workflow.status)) return false;
  const isInProgress = result.status === "IN_PROGRESS";
  task.status = isInProgress && !isSystemTask(task) ? "SCHEDULED" : result.status;
  task.reasonForIncompletion = result.reasonForIncompletion?.slice(0, MAX_REASON_LENGTH);
  task.workerId = result.workerId;
  task.callbackAfterSeconds = result.callbackAfterSeconds;
  setOutput(draft, task, result);
  if (isTaskEnded(task.status)) task.endTime = draft.env.nowMs;
  draft.touch(task);
  // A progress report puts the task back into its queue, for anybody (case R03).
  if (task.status === "SCHEDULED") draft.queue(task);
  decideDraft(draft);
  return true;
}

function setOutput(draft: Draft, task: TaskRun, result: TaskResult): void {
  const sizeBytes = Buffer.byteLength(JSON.stringify(result.outputData));
  task.outputData = sizeBytes > MAX_INLINE_OUTPUT_BYTES ? {} : result.outputData;
  task.externalOutputPayloadStoragePath = result.externalOutputPayloadStoragePath;
  if (sizeBytes > MAX_OUTPUT_BYTES) {
    task.status = "FAILED_WITH_TERMINAL_ERROR";
    task.reasonForIncompletion =
      `The payload size: ${sizeBytes} of task: ${task.taskId} in workflow: ${task.workflowInstanceId}  ` +
      `is greater than the permissible limit: ${MAX_OUTPUT_BYTES} bytes`;
  } else if (sizeBytes > MAX_INLINE_OUTPUT_BYTES) {
    task.externalOutputPayloadStoragePath = `${draft.env.newId()}.json`;
  }
}
