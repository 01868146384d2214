import { setImmediate as nextTurn } from "node:timers/promises";
import { takeResult } from "../decider/result.ts";
import { notFound } from "../errors.ts";
import { isTaskEnded, type TaskRun } from "../model/run.ts";
import type { TaskResult } from "../model/task-result.ts";
import type { ConductorControls } from "./controls.ts";
import type { Core } from "./core.ts";

/**
 * Takes a worker's report or heartbeat. The task as it was before it, or undefined after a heartbeat. Throws 404 for
 * unknown ids.
 */
export async function updateTask(
  core: Core,
  controls: ConductorControls,
  result: TaskResult,
): Promise<TaskRun | undefined> {
  if (result.extendLease) {
    await extendLease(core, controls, result.taskId);
    return undefined;
  }
  if (core.runs.workflow(result.workflowInstanceId) === undefined) {
    throw notFound(`No such workflow found by id: ${result.workflowInstanceId}`);
  }
  const task = knownTask(core, result.taskId);
  const isTaken = core.change(task.workflowInstanceId, (draft) => takeResult(draft, task.taskId, result));
  if (isTaken) addLogs(core, task, result);
  return task;
}

/**
 * A heartbeat reads the whole task and writes it back with a new update time. Between the two another request may have
 * ended the task: then the heartbeat overwrites that, as in Conductor (case R05, fault C7). For an ended task it does
 * nothing (case R04).
 */
async function extendLease(core: Core, controls: ConductorControls, taskId: string): Promise<void> {
  const task = knownTask(core, taskId);
  if (isTaskEnded(task.status)) return;
  await gap(core, controls.heartbeatGapMs);
  if (core.isClosed || core.runs.task(taskId) === undefined) return;
  core.runs.putTask({ ...task, updateTime: core.clock.nowMs() });
}

async function gap(core: Core, gapMs: number): Promise<void> {
  if (gapMs <= 0) await nextTurn();
  else await new Promise<void>((resolve) => void core.clock.after(gapMs, resolve));
}

function knownTask(core: Core, taskId: string): TaskRun {
  const task = core.runs.task(taskId);
  if (task === undefined) throw notFound(`No such task found by id: ${taskId}`);
  return task;
}

function addLogs(core: Core, task: TaskRun, result: TaskResult): void {
  core.transaction(() => {
    const nowMs = core.clock.nowMs();
    for (const line of result.logs) core.logs.add(task.taskId, line.log, line.createdTime ?? nowMs);
  });
}
