import { parseCondition, isTruthy } from "../expressions/condition.ts";
import type { JsonObject } from "../json.ts";
import { isTaskEnded, isTaskUnsuccessful, type TaskRun } from "../model/run.ts";
import { setDomains } from "./domains.ts";
import type { Draft } from "./draft.ts";
import { withIteration, withoutIteration } from "./iteration.ts";
import { tasksOfStep } from "./schedule.ts";
import { holds } from "./steps.ts";

/** Turns of one loop; more end it as failed. */
const MAX_ITERATIONS = 10_000;

/** Moves a DO_WHILE on: starts a turn, or ends the loop; true where something changed. */
export function evaluateLoop(draft: Draft, loop: TaskRun): boolean {
  const turn = newestOfTurn(draft, loop);
  if (turn.length === 0) return startTurn(draft, loop);
  const failed = turn.find((task) => isTaskUnsuccessful(task.status));
  if (failed !== undefined && !failed.retried) return endLoop(draft, loop, "FAILED", failed.reasonForIncompletion);
  if (!isTurnComplete(loop, turn)) return false;
  loop.outputData[String(loop.iteration)] = outputs(turn);
  const condition = parseCondition(loop.workflowTask.loopCondition ?? "");
  if (condition === undefined) {
    const text = loop.workflowTask.loopCondition ?? "";
    return endLoop(draft, loop, "FAILED_WITH_TERMINAL_ERROR", `Unable to evaluate condition ${text}`);
  }
  if (!isTruthy(condition(conditionScope(draft, loop, turn)))) return endLoop(draft, loop, "COMPLETED", undefined);
  if (loop.iteration >= MAX_ITERATIONS) {
    return endLoop(draft, loop, "FAILED_WITH_TERMINAL_ERROR", `the emulator ends loops after ${MAX_ITERATIONS} turns`);
  }
  loop.iteration += 1;
  loop.outputData["iteration"] = loop.iteration;
  return startTurn(draft, loop);
}

/** Gives tasks inside a loop the names of its turn. */
export function nameForTurn(tasks: readonly TaskRun[], iteration: number): void {
  for (const task of tasks) {
    task.referenceTaskName = withIteration(task.referenceTaskName, iteration);
    task.iteration = iteration;
  }
}

function startTurn(draft: Draft, loop: TaskRun): boolean {
  const first = loop.workflowTask.loopOver[0];
  draft.touch(loop);
  if (first === undefined) return false;
  const tasks = tasksOfStep(draft, first);
  nameForTurn(tasks, loop.iteration);
  setDomains(draft, tasks);
  draft.add(tasks);
  for (const task of tasks) if (task.status === "SCHEDULED") draft.queue(task);
  return true;
}

function newestOfTurn(draft: Draft, loop: TaskRun): TaskRun[] {
  const newest = new Map<string, TaskRun>();
  for (const task of draft.tasks) {
    if (task.taskId === loop.taskId || task.iteration !== loop.iteration) continue;
    if (!holds(loop.workflowTask, withoutIteration(task.referenceTaskName))) continue;
    newest.set(task.referenceTaskName, task);
  }
  return [...newest.values()];
}

function isTurnComplete(loop: TaskRun, turn: readonly TaskRun[]): boolean {
  if (!turn.every((task) => isTaskEnded(task.status) && (task.executed || task.retried))) return false;
  const names = new Set(turn.map((task) => withoutIteration(task.referenceTaskName)));
  return loop.workflowTask.loopOver.every((step) => names.has(step.taskReferenceName));
}

function outputs(turn: readonly TaskRun[]): JsonObject {
  return Object.fromEntries(
    turn.map((task) => [withoutIteration(task.referenceTaskName), structuredClone(task.outputData)]),
  );
}

function conditionScope(draft: Draft, loop: TaskRun, turn: readonly TaskRun[]): JsonObject {
  return {
    ...draft.input(loop.workflowTask.inputParameters, loop.taskId),
    [loop.workflowTask.taskReferenceName]: loop.outputData,
    ...outputs(turn),
  };
}

function endLoop(
  draft: Draft,
  loop: TaskRun,
  status: "COMPLETED" | "FAILED" | "FAILED_WITH_TERMINAL_ERROR",
  reason: string | undefined,
): boolean {
  loop.status = status;
  loop.reasonForIncompletion = reason;
  draft.touch(loop);
  return true;
}
