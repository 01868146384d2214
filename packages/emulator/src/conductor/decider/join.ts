import { isTaskEnded, isTaskUnsuccessful, type TaskRun } from "../model/run.ts";
import type { Draft } from "./draft.ts";
import { withIteration } from "./iteration.ts";

/**
 * Ends a JOIN where its branches have ended; true where it did. Conductor looks at joins in the background, this at
 * once.
 */
export function evaluateJoin(draft: Draft, join: TaskRun): boolean {
  const names = join.workflowTask.joinOn.map((name) =>
    join.iteration > 0 ? withIteration(name, join.iteration) : name,
  );
  if (names.length === 0) return false;
  const branches = names.map((name) => draft.newest(name));
  const failed = branches.find((task) => task !== undefined && !task.retried && isHardFailure(task));
  const haveAllEnded = branches.every((task) => task !== undefined && isTaskEnded(task.status));
  if (failed === undefined && !haveAllEnded) return false;
  for (const [index, task] of branches.entries()) {
    const name = names[index];
    if (task === undefined || name === undefined || Object.keys(task.outputData).length === 0) continue;
    join.outputData[name] = structuredClone(task.outputData);
  }
  const softFailed = branches.filter((task) => task?.status === "COMPLETED_WITH_ERRORS");
  if (failed !== undefined) join.reasonForIncompletion = failed.reasonForIncompletion;
  if (failed !== undefined) join.status = "FAILED";
  else join.status = softFailed.length > 0 ? "COMPLETED_WITH_ERRORS" : "COMPLETED";
  draft.touch(join);
  return true;
}

function isHardFailure(task: TaskRun): boolean {
  return isTaskUnsuccessful(task.status) && !task.workflowTask.optional;
}

/** Opens ended, unsuccessful joins again whose branches run again (after a retry or a rerun). */
export function reopenJoins(draft: Draft): void {
  const open = new Set(draft.tasks.filter((task) => !isTaskEnded(task.status)).map((task) => task.referenceTaskName));
  for (const task of draft.tasks) {
    if (task.taskType !== "JOIN" || !isTaskUnsuccessful(task.status)) continue;
    if (!task.workflowTask.joinOn.some((name) => open.has(name))) continue;
    task.status = "IN_PROGRESS";
    task.startTime = draft.env.nowMs;
    task.endTime = 0;
    draft.touch(task);
  }
}
