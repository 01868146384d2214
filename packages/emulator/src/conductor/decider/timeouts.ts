import { isTaskEnded, isWorkflowEnded, type TaskRun, type WorkflowRun } from "../model/run.ts";
import type { TaskDef } from "../model/task-def.ts";
import { EndOfRun } from "./terminate.ts";

/** Ends the decision where the workflow as a whole took too long. */
export function checkWorkflowTimeout(workflow: WorkflowRun, nowMs: number): void {
  const { timeoutSeconds, timeoutPolicy } = workflow.workflowDefinition;
  const dueMs = workflowDueMs(workflow);
  if (dueMs === undefined || nowMs < dueMs || timeoutPolicy !== "TIME_OUT_WF") return;
  const elapsedSeconds = Math.floor((nowMs - (dueMs - timeoutSeconds * 1000)) / 1000);
  throw new EndOfRun(
    `Workflow timed out after ${elapsedSeconds} seconds. Timeout configured as ${timeoutSeconds} seconds. ` +
      `Timeout policy configured to ${timeoutPolicy}`,
    "TIMED_OUT",
  );
}

function workflowDueMs(workflow: WorkflowRun): number | undefined {
  const { timeoutSeconds } = workflow.workflowDefinition;
  if (timeoutSeconds <= 0) return undefined;
  return (workflow.lastRetriedTime > 0 ? workflow.lastRetriedTime : workflow.createTime) + timeoutSeconds * 1000;
}

/** One time limit of a task: when it ends, and what is said then. */
interface Limit {
  readonly dueMs: number;
  /** The response timeout is always a retry, whatever the policy says (tried). */
  readonly isPolicyObeyed: boolean;
  reason(nowMs: number): string;
}

/** Marks a task as timed out where a limit has passed; ends the decision where the policy says so (cases C12, R08). */
export function checkTaskTimeouts(task: TaskRun, def: TaskDef, nowMs: number): void {
  for (const limit of limits(task, def)) {
    if (isTaskEnded(task.status)) return;
    if (nowMs < limit.dueMs) continue;
    if (limit.isPolicyObeyed && def.timeoutPolicy === "ALERT_ONLY") continue;
    task.status = "TIMED_OUT";
    task.reasonForIncompletion = limit.reason(nowMs);
    if (limit.isPolicyObeyed && def.timeoutPolicy === "TIME_OUT_WF") {
      throw new EndOfRun(task.reasonForIncompletion, "TIMED_OUT", task);
    }
  }
}

/** The next moment at which a limit of the run passes, if any; one that has passed already does not count. */
export function nextDueMs(workflow: WorkflowRun, tasks: readonly TaskRun[], nowMs: number): number | undefined {
  if (isWorkflowEnded(workflow.status)) return undefined;
  const dues = tasks.flatMap((task) => {
    const def = task.workflowTask.taskDefinition;
    if (def === undefined || isTaskEnded(task.status) || workflow.status === "PAUSED") return [];
    return limits(task, def).map((limit) => limit.dueMs);
  });
  const whole = workflowDueMs(workflow);
  if (whole !== undefined) dues.push(whole);
  const coming = dues.filter((dueMs) => dueMs > nowMs);
  return coming.length === 0 ? undefined : Math.min(...coming);
}

/** The earliest limit of one task, passed or not. */
export function earliestDueMs(task: TaskRun): number | undefined {
  const def = task.workflowTask.taskDefinition;
  const dues = def === undefined ? [] : limits(task, def).map((limit) => limit.dueMs);
  return dues.length === 0 ? undefined : Math.min(...dues);
}

/** Has a task, over all its attempts, used up its total time? */
export function isTotalTimeUp(task: TaskRun, def: TaskDef, nowMs: number): boolean {
  return def.totalTimeoutSeconds > 0 && nowMs >= totalDueMs(task, def);
}

function totalDueMs(task: TaskRun, def: TaskDef): number {
  return task.firstScheduledTime + def.totalTimeoutSeconds * 1000;
}

function limits(task: TaskRun, def: TaskDef): Limit[] {
  return [...totalLimit(task, def), ...runLimit(task, def), ...pollLimit(task, def), ...responseLimit(task, def)];
}

function totalLimit(task: TaskRun, def: TaskDef): Limit[] {
  if (def.totalTimeoutSeconds <= 0 || task.firstScheduledTime === 0) return [];
  return [
    {
      dueMs: totalDueMs(task, def),
      isPolicyObeyed: true,
      reason: (nowMs) =>
        `Task ${task.taskDefName}/${task.taskId} exceeded total timeout of ${def.totalTimeoutSeconds} seconds ` +
        `(elapsed ${seconds(nowMs - task.firstScheduledTime)} seconds across all attempts including retry delays). ` +
        `Timeout policy: ${def.timeoutPolicy}`,
    },
  ];
}

function runLimit(task: TaskRun, def: TaskDef): Limit[] {
  if (def.timeoutSeconds <= 0 || task.startTime <= 0) return [];
  const fromMs = task.startTime + task.startDelayInSeconds * 1000;
  return [
    {
      dueMs: fromMs + def.timeoutSeconds * 1000,
      isPolicyObeyed: true,
      reason: (nowMs) =>
        `Task timed out after ${seconds(nowMs - fromMs)} seconds. ` +
        `Timeout configured as ${def.timeoutSeconds} seconds. ` +
        `Timeout policy configured to ${def.timeoutPolicy}`,
    },
  ];
}

function pollLimit(task: TaskRun, def: TaskDef): Limit[] {
  const pollSeconds = def.pollTimeoutSeconds ?? 0;
  if (pollSeconds <= 0 || task.status !== "SCHEDULED") return [];
  const fromMs = task.scheduledTime + task.startDelayInSeconds * 1000;
  return [
    {
      dueMs: fromMs + (pollSeconds + task.callbackAfterSeconds) * 1000,
      isPolicyObeyed: true,
      reason: (nowMs) =>
        `Task poll timed out after ${seconds(nowMs - fromMs)} seconds. ` +
        `Poll timeout configured as ${pollSeconds} seconds. ` +
        `Timeout policy configured to ${def.timeoutPolicy}`,
    },
  ];
}

function responseLimit(task: TaskRun, def: TaskDef): Limit[] {
  if (def.responseTimeoutSeconds <= 0 || task.status !== "IN_PROGRESS") return [];
  return [
    {
      dueMs: task.updateTime + (def.responseTimeoutSeconds + task.callbackAfterSeconds) * 1000,
      isPolicyObeyed: false,
      reason: () =>
        `responseTimeout: ${def.responseTimeoutSeconds} exceeded for the taskId: ${task.taskId} ` +
        `with Task Definition: ${task.taskDefName}`,
    },
  ];
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}
