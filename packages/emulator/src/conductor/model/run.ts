import type { JsonObject } from "../json.ts";
import type { WorkflowDef, WorkflowTask } from "./workflow-def.ts";

/** Where a workflow stands. */
export type WorkflowStatus = "RUNNING" | "COMPLETED" | "FAILED" | "TIMED_OUT" | "TERMINATED" | "PAUSED";

/** Where a task stands. */
export type TaskStatus =
  | "SCHEDULED"
  | "IN_PROGRESS"
  | "COMPLETED"
  | "COMPLETED_WITH_ERRORS"
  | "FAILED"
  | "FAILED_WITH_TERMINAL_ERROR"
  | "TIMED_OUT"
  | "CANCELED"
  | "SKIPPED";

/** One task of a run; names and units as on the wire (times in ms since 1970, 0 is none). */
export interface TaskRun {
  taskId: string;
  taskType: string;
  taskDefName: string;
  referenceTaskName: string;
  status: TaskStatus;
  workflowInstanceId: string;
  workflowType: string;
  correlationId?: string | undefined;
  workflowPriority: number;
  seq: number;
  retryCount: number;
  retriedTaskId?: string | undefined;
  retried: boolean;
  executed: boolean;
  iteration: number;
  pollCount: number;
  scheduledTime: number;
  startTime: number;
  endTime: number;
  updateTime: number;
  /** When the first attempt was scheduled; the total timeout counts from there. */
  firstScheduledTime: number;
  startDelayInSeconds: number;
  callbackAfterSeconds: number;
  responseTimeoutSeconds: number;
  rateLimitPerFrequency: number;
  rateLimitFrequencyInSeconds: number;
  domain?: string | undefined;
  workerId?: string | undefined;
  reasonForIncompletion?: string | undefined;
  inputData: JsonObject;
  outputData: JsonObject;
  externalOutputPayloadStoragePath?: string | undefined;
  workflowTask: WorkflowTask;
}

/** A run of a workflow, without its tasks. */
export interface WorkflowRun {
  workflowId: string;
  workflowDefinition: WorkflowDef;
  status: WorkflowStatus;
  input: JsonObject;
  output: JsonObject;
  variables: JsonObject;
  correlationId?: string | undefined;
  priority: number;
  taskToDomain: Record<string, string>;
  createTime: number;
  updateTime: number;
  endTime: number;
  lastRetriedTime: number;
  reasonForIncompletion?: string | undefined;
  failedTaskId?: string | undefined;
  failedReferenceTaskNames: string[];
  failedTaskNames: string[];
}

const ENDED_TASK = new Set<TaskStatus>([
  "COMPLETED",
  "COMPLETED_WITH_ERRORS",
  "FAILED",
  "FAILED_WITH_TERMINAL_ERROR",
  "TIMED_OUT",
  "CANCELED",
  "SKIPPED",
]);
/** A task that has not ended counts as successful so far, as in Conductor. */
const UNSUCCESSFUL_TASK = new Set<TaskStatus>(["FAILED", "FAILED_WITH_TERMINAL_ERROR", "TIMED_OUT", "CANCELED"]);

/** Has the task ended? */
export function isTaskEnded(status: TaskStatus): boolean {
  return ENDED_TASK.has(status);
}

/** Has the task ended without success? */
export function isTaskUnsuccessful(status: TaskStatus): boolean {
  return UNSUCCESSFUL_TASK.has(status);
}

/** Has the workflow ended? */
export function isWorkflowEnded(status: WorkflowStatus): boolean {
  return status !== "RUNNING" && status !== "PAUSED";
}

/** Tasks that the engine does itself; names are those of `taskType`. */
const SYSTEM_TASKS = new Set(["FORK", "JOIN", "SWITCH", "DO_WHILE"]);

/** Does the engine do this task itself? */
export function isSystemTask(task: TaskRun): boolean {
  return SYSTEM_TASKS.has(task.taskType);
}

/** The queue that a task waits in. */
export function queueName(task: { readonly taskType: string; readonly domain?: string | undefined }): string {
  return task.domain === undefined ? task.taskType : `${task.domain}:${task.taskType}`;
}
