import { isSystemTask, type TaskRun, type TaskStatus, type WorkflowStatus } from "../model/run.ts";
import type { TaskDef } from "../model/task-def.ts";
import type { Draft } from "./draft.ts";
import { EndOfRun } from "./terminate.ts";
import { isTotalTimeUp } from "./timeouts.ts";

const MAX_DELAY_SECONDS = 2_147_483_647;

/** A retry, and the delay after which it can be polled. */
export interface Retry {
  readonly task: TaskRun;
  readonly delayMs: number;
}

/** The retry of a failed task. Undefined where an optional task has used them up; else that ends the run. */
export function retryOf(draft: Draft, task: TaskRun): Retry | undefined {
  const step = task.workflowTask;
  const def = step.taskDefinition;
  const allowed = step.retryCount ?? def?.retryCount ?? 0;
  if (def !== undefined && isRetriable(task.status) && isTotalTimeUp(task, def, draft.env.nowMs)) {
    throw new EndOfRun(totalTimeReason(task, def, draft.env.nowMs), workflowStatusAfter(task.status), task);
  }
  if (def === undefined || !isRetriable(task.status) || isSystemTask(task) || allowed <= task.retryCount) {
    if (step.optional) return undefined;
    const status = workflowStatusAfter(task.status);
    const why = task.reasonForIncompletion ?? "null";
    const reason = `Task ${task.taskId} failed with status: ${status} and reason: '${why}'`;
    throw new EndOfRun(reason, status, task);
  }
  const delaySeconds = retryDelaySeconds(def, task.retryCount);
  const jitterMs = Math.floor(draft.env.random() * (def.backoffJitterMs + 1));
  task.retried = true;
  // The old reason stays on the new attempt until a worker reports (tried).
  const retry = { ...freshAttempt(draft, task), reasonForIncompletion: task.reasonForIncompletion };
  retry.startDelayInSeconds = delaySeconds;
  retry.callbackAfterSeconds = delaySeconds;
  retry.updateTime = 0;
  return { task: retry, delayMs: delaySeconds * 1000 + jitterMs };
}

/** A new attempt of the same step: new id, retry count + 1, and its input resolved anew over the old one. */
export function freshAttempt(draft: Draft, task: TaskRun): TaskRun {
  const step = task.workflowTask;
  const taskId = draft.env.newId();
  return {
    ...structuredClone(task),
    taskId,
    retriedTaskId: task.taskId,
    status: "SCHEDULED",
    retryCount: task.retryCount + 1,
    retried: false,
    executed: false,
    pollCount: 0,
    callbackAfterSeconds: 0,
    scheduledTime: 0,
    startTime: 0,
    endTime: 0,
    workerId: undefined,
    reasonForIncompletion: undefined,
    seq: 0,
    inputData: { ...task.inputData, ...draft.input(step.inputParameters, taskId, step.taskDefinition) },
    outputData: {},
    externalOutputPayloadStoragePath: undefined,
  };
}

/** The delay before a retry, whole seconds. */
export function retryDelaySeconds(def: TaskDef, retryCount: number): number {
  const wanted = Math.min(MAX_DELAY_SECONDS, def.retryDelaySeconds * growth(def, retryCount));
  return def.maxRetryDelaySeconds > 0 ? Math.min(def.maxRetryDelaySeconds, wanted) : wanted;
}

function growth(def: TaskDef, retryCount: number): number {
  switch (def.retryLogic) {
    case "FIXED":
      return 1;
    case "LINEAR_BACKOFF":
      return def.backoffScaleFactor * (retryCount + 1);
    case "EXPONENTIAL_BACKOFF":
      return 2 ** retryCount;
  }
}

function isRetriable(status: TaskStatus): boolean {
  return status === "FAILED" || status === "TIMED_OUT";
}

function workflowStatusAfter(status: TaskStatus): WorkflowStatus {
  if (status === "CANCELED") return "TERMINATED";
  return status === "TIMED_OUT" ? "TIMED_OUT" : "FAILED";
}

function totalTimeReason(task: TaskRun, def: TaskDef, nowMs: number): string {
  const elapsedSeconds = Math.floor((nowMs - task.firstScheduledTime) / 1000);
  return (
    `Task ${task.taskId}/${task.taskDefName} exceeded total timeout of ${def.totalTimeoutSeconds} seconds ` +
    `(elapsed ${elapsedSeconds} seconds across all attempts). No further retries will be attempted.`
  );
}
