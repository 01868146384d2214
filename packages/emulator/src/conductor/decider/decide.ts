import { isSystemTask, isTaskEnded, isTaskUnsuccessful, isWorkflowEnded, type TaskRun } from "../model/run.ts";
import { setDomains } from "./domains.ts";
import { Draft, type Changes, type DecisionEnv, type RunState } from "./draft.ts";
import { withoutIteration } from "./iteration.ts";
import { evaluateJoin, reopenJoins } from "./join.ts";
import { evaluateLoop, nameForTurn } from "./loop.ts";
import { retryOf } from "./retry.ts";
import { tasksOfStep } from "./schedule.ts";
import { nextStep } from "./steps.ts";
import { completeRun, endRun, EndOfRun } from "./terminate.ts";
import { checkTaskTimeouts, checkWorkflowTimeout } from "./timeouts.ts";

/** Rounds of one decision: each starts or ends a task of the engine's own. */
const MAX_ROUNDS = 20_000;

/** The decider: definition, state and time in, changes out. It does no I/O. */
export function decide(state: RunState, env: DecisionEnv): Changes {
  const draft = new Draft(state, env);
  decideDraft(draft);
  return draft.changes();
}

/** Decides on a run that is being changed already. */
export function decideDraft(draft: Draft): void {
  if (isWorkflowEnded(draft.workflow.status)) return;
  try {
    reopenJoins(draft);
    checkWorkflowTimeout(draft.workflow, draft.env.nowMs);
    if (draft.workflow.status === "PAUSED") return;
    const executed = new Set<TaskRun>();
    for (let round = 0; round < MAX_ROUNDS; round += 1) if (!decideOnce(draft, executed)) return;
    throw new EndOfRun(`the emulator ends a decision after ${MAX_ROUNDS} rounds`, "FAILED");
  } catch (error) {
    if (!(error instanceof EndOfRun)) throw error;
    endRun(draft, error.status, error.message, error.task);
  }
}

/** One round; true where another may find more to do. `executed`: whom the last round that did anything left behind. */
function decideOnce(draft: Draft, executed: Set<TaskRun>): boolean {
  if (draft.tasks.length === 0) return startFirst(draft);
  const before = new Set(draft.tasks.filter((task) => task.executed));
  let isChanged = false;
  for (const task of draft.tasks.filter((one) => !one.retried && !one.executed && one.status !== "SKIPPED")) {
    if (moveTask(draft, task)) isChanged = true;
  }
  for (const task of draft.tasks.filter((one) => isSystemTask(one) && !isTaskEnded(one.status))) {
    if (runSystemTask(draft, task)) isChanged = true;
  }
  if (isChanged) {
    executed.clear();
    for (const task of draft.tasks) if (task.executed && !before.has(task)) executed.add(task);
    return true;
  }
  if (isComplete(draft)) {
    completeRun(draft);
    // Conductor does not write back whom the round that ends the workflow left behind (tried).
    for (const task of executed) task.executed = false;
  }
  return false;
}

function startFirst(draft: Draft): boolean {
  const [first] = draft.workflow.workflowDefinition.tasks;
  if (first === undefined) throw new EndOfRun("No tasks found to be executed", "COMPLETED");
  addTasks(draft, tasksOfStep(draft, first));
  return true;
}

/** Timeouts, retries and successors of one task; true where it moved. */
function moveTask(draft: Draft, task: TaskRun): boolean {
  const def = task.workflowTask.taskDefinition;
  if (def !== undefined) checkTaskTimeouts(task, def, draft.env.nowMs);
  if (isTaskUnsuccessful(task.status)) {
    const retry = retryOf(draft, task);
    draft.touch(task);
    if (retry !== undefined) {
      setDomains(draft, [retry.task]);
      draft.add([retry.task]);
      draft.queue(retry.task, retry.delayMs);
      return true;
    }
    task.status = "COMPLETED_WITH_ERRORS";
  }
  if (!isTaskEnded(task.status)) return false;
  task.executed = true;
  draft.touch(task);
  addTasks(draft, successors(draft, task));
  return true;
}

function successors(draft: Draft, task: TaskRun): TaskRun[] {
  if (task.taskType === "FORK") return [];
  if (task.taskType === "SWITCH" && task.inputData["hasChildren"] !== undefined) return [];
  const isInLoop = task.iteration > 0 && task.taskType !== "DO_WHILE";
  const name = isInLoop ? withoutIteration(task.referenceTaskName) : task.referenceTaskName;
  const next = nextStep(draft.workflow.workflowDefinition, name);
  if (next === undefined) return [];
  if (next.type === "DO_WHILE" && draft.newest(next.taskReferenceName) !== undefined) return [];
  const tasks = tasksOfStep(draft, next);
  if (!isInLoop) return tasks;
  nameForTurn(tasks, task.iteration);
  return tasks.filter((one) => draft.newest(one.referenceTaskName) === undefined);
}

/** Adds tasks that are not there yet, and queues those that workers do. */
function addTasks(draft: Draft, tasks: readonly TaskRun[]): void {
  const present = new Set(draft.tasks.map((task) => `${task.referenceTaskName}_${task.retryCount}`));
  const added = tasks.filter((task) => !present.has(`${task.referenceTaskName}_${task.retryCount}`));
  setDomains(draft, added);
  draft.add(added);
  for (const task of added) if (task.status === "SCHEDULED") draft.queue(task);
}

function runSystemTask(draft: Draft, task: TaskRun): boolean {
  if (task.taskType === "JOIN") return evaluateJoin(draft, task);
  if (task.taskType === "DO_WHILE") return evaluateLoop(draft, task);
  task.status = "COMPLETED";
  draft.touch(task);
  return true;
}

function isComplete(draft: Draft): boolean {
  if (draft.tasks.length === 0 || draft.tasks.some((task) => !isTaskEnded(task.status))) return false;
  return draft.workflow.workflowDefinition.tasks.every((step) => {
    const newest = draft.newest(step.taskReferenceName);
    return newest !== undefined && !isTaskUnsuccessful(newest.status);
  });
}
