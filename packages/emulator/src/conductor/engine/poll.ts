import type { Core } from "./core.ts";
import type { ConductorControls } from "./controls.ts";
import { earliestDueMs } from "../decider/timeouts.ts";
import { badRequest } from "../errors.ts";
import { isTaskEnded, queueName, type TaskRun } from "../model/run.ts";

/** Longest wait of a poll, milliseconds; more is a 400 (tried). */
export const MAX_POLL_TIMEOUT_MS = 5_000;
/** How long a poll for a single task waits, milliseconds (tried). */
export const SINGLE_POLL_TIMEOUT_MS = 100;
/** Messages that are looked at in one go. */
const POP_BATCH = 1_000;

/** A poll. */
export interface PollRequest {
  readonly taskType: string;
  readonly domain: string | undefined;
  readonly workerId: string | undefined;
  /** How many tasks are wanted; below 0: all that come. */
  readonly count: number;
  readonly timeoutMs: number;
}

/**
 * Hands out tasks: it answers as soon as `count` are there, else with what came until the time-out. What it has popped
 * meanwhile nobody else gets, and whether the client still listens does not matter (fault E8). Start times are set when
 * it answers (tried).
 */
export async function pollTasks(core: Core, controls: ConductorControls, request: PollRequest): Promise<TaskRun[]> {
  if (request.timeoutMs > MAX_POLL_TIMEOUT_MS)
    throw badRequest("Long Poll Timeout value cannot be more than 5 seconds");
  const queue = queueName(request);
  const deadlineMs = core.clock.nowMs() + request.timeoutMs;
  const popped: string[] = [];
  for (;;) {
    const wanted = request.count < 0 ? POP_BATCH : request.count - popped.length;
    popped.push(...popTasks(core, queue, wanted));
    const isSatisfied = request.count >= 0 && popped.length >= request.count;
    if (isSatisfied || core.clock.nowMs() >= deadlineMs) break;
    await queueChange(core, queue, deadlineMs);
    if (core.isClosed) return [];
  }
  const tasks = claimTasks(core, popped, request);
  acknowledge(core, controls, tasks);
  return tasks;
}

/** Pops what can be handed out now, up to `limit`; the limits of running tasks are kept (case C10). */
function popTasks(core: Core, queue: string, limit: number): string[] {
  if (limit <= 0) return [];
  return core.transaction(() => {
    const nowMs = core.clock.nowMs();
    const popped: string[] = [];
    for (const { taskId } of core.queues.waiting(queue, nowMs, POP_BATCH)) {
      if (popped.length >= limit) break;
      const task = core.runs.task(taskId);
      if (task === undefined || isTaskEnded(task.status)) core.queues.remove(taskId);
      else if (!isOverLimit(core, queue, task)) {
        core.queues.pop(taskId, nowMs);
        core.held.add(taskId);
        popped.push(taskId);
      }
    }
    return popped;
  });
}

function isOverLimit(core: Core, queue: string, task: TaskRun): boolean {
  const limit = task.workflowTask.taskDefinition?.concurrentExecLimit ?? 0;
  if (limit <= 0) return false;
  return core.runs.runningCount(task.taskDefName) + core.queues.poppedCount(queue) >= limit;
}

function claimTasks(core: Core, taskIds: readonly string[], request: PollRequest): TaskRun[] {
  return core.transaction(() => {
    const nowMs = core.clock.nowMs();
    core.queues.notePoll(request.taskType, request.domain, request.workerId, nowMs);
    return taskIds.flatMap((taskId) => {
      core.held.delete(taskId);
      const task = core.runs.task(taskId);
      if (task === undefined || isTaskEnded(task.status)) return [];
      task.status = "IN_PROGRESS";
      if (task.startTime === 0) task.startTime = nowMs;
      task.updateTime = nowMs;
      task.callbackAfterSeconds = 0;
      task.workerId = request.workerId;
      task.pollCount += 1;
      core.runs.putTask(task);
      const dueMs = earliestDueMs(task);
      if (dueMs !== undefined) core.runs.bringForward(task.workflowInstanceId, dueMs);
      return [task];
    });
  });
}

/** A step of its own: where the server dies before it, the same task is handed out again (fault C5). */
function acknowledge(core: Core, controls: ConductorControls, tasks: readonly TaskRun[]): void {
  core.transaction(() => {
    for (const task of tasks) if (!controls.loseAcknowledgement()) core.queues.acknowledge(task.taskId);
  });
  core.announce(new Set());
}

function queueChange(core: Core, queue: string, deadlineMs: number): Promise<void> {
  return new Promise((resolve) => {
    const nowMs = core.clock.nowMs();
    const wakeMs = Math.min(deadlineMs, core.queues.nextDeliveryMs(queue, nowMs) ?? deadlineMs);
    const finish = (): void => {
      timer.cancel();
      forget();
      resolve();
    };
    const timer = core.clock.after(wakeMs - nowMs, finish);
    const forget = core.listen(queue, finish);
  });
}
