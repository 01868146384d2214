import { badRequest, conflict, internal, notFound, notHere } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { isSystemTask, isWorkflowEnded, type TaskRun, type WorkflowRun } from "../model/run.ts";
import type { WorkflowDef } from "../model/workflow-def.ts";
import { decideDraft } from "./decide.ts";
import type { Draft } from "./draft.ts";
import { freshAttempt } from "./retry.ts";
import { endRun } from "./terminate.ts";

/** Ends a run from outside. Throws 409 where it is COMPLETED; one that is TERMINATED stays as it is. */
export function terminateRun(draft: Draft, reason: string | undefined): void {
  const { workflow } = draft;
  if (workflow.status === "COMPLETED") throw conflict("Cannot terminate a COMPLETED workflow.");
  if (workflow.status === "TERMINATED") return;
  workflow.status = "TERMINATED";
  endRun(draft, "TERMINATED", reason);
}

/** Holds a run: results are taken, nothing new starts. Throws 409 where it has ended. */
export function pauseRun(draft: Draft): void {
  const { workflow } = draft;
  if (isWorkflowEnded(workflow.status)) {
    throw conflict(`Workflow ${shortName(workflow)} has ended, status cannot be updated.`);
  }
  if (workflow.status === "PAUSED") return;
  workflow.status = "PAUSED";
  draft.touchWorkflow();
}

/** Lets a held run go on. Throws a 500 where it is not held. */
export function resumeRun(draft: Draft): void {
  const { workflow } = draft;
  if (workflow.status !== "PAUSED") {
    throw internal(
      `The workflow ${workflow.workflowId} is not PAUSED so cannot resume. Current status is ${workflow.status}`,
    );
  }
  workflow.status = "RUNNING";
  workflow.lastRetriedTime = draft.env.nowMs;
  draft.touchWorkflow();
  decideDraft(draft);
}

/** New attempts of all tasks that ended badly. Throws 404 while it runs, 409 where nothing can be retried. */
export function retryRun(draft: Draft): void {
  const { workflow } = draft;
  if (!isWorkflowEnded(workflow.status)) throw notFound(`Workflow is still running.  status=${workflow.status}`);
  if (draft.tasks.length === 0) throw conflict("Workflow has not started yet");
  const retriable = retriableTasks(draft);
  if (retriable.length === 0 && workflow.status !== "TIMED_OUT") {
    throw conflict("There are no retryable tasks! Use restart if you want to attempt entire workflow execution again.");
  }
  workflow.status = "RUNNING";
  workflow.lastRetriedTime = draft.env.nowMs;
  workflow.reasonForIncompletion = undefined;
  draft.touchWorkflow();
  reopenOwnTasks(draft);
  const retries = retriable.toSorted((a, b) => a.seq - b.seq).map((task) => retryNow(draft, task));
  draft.add(retries);
  for (const task of retries) draft.queue(task);
}

function retryNow(draft: Draft, task: TaskRun): TaskRun {
  const retry = { ...freshAttempt(draft, task), updateTime: draft.env.nowMs };
  task.retried = true;
  task.executed = true;
  draft.touch(task);
  return retry;
}

function retriableTasks(draft: Draft): TaskRun[] {
  const found = new Map<string, TaskRun>();
  for (const task of draft.tasks) {
    const isBad =
      task.status === "FAILED" || task.status === "FAILED_WITH_TERMINAL_ERROR" || task.status === "TIMED_OUT";
    if (isBad || (task.status === "CANCELED" && !isReopened(task))) found.set(task.referenceTaskName, task);
    else if (task.status !== "CANCELED") found.delete(task.referenceTaskName);
  }
  return [...found.values()];
}

function isReopened(task: TaskRun): boolean {
  return task.taskType === "JOIN" || task.taskType === "DO_WHILE";
}

function reopenOwnTasks(draft: Draft): void {
  for (const task of draft.tasks) {
    if (task.status !== "CANCELED" || !isReopened(task)) continue;
    task.status = "IN_PROGRESS";
    draft.touch(task);
  }
}

/** What a rerun is asked for. */
export interface RerunRequest {
  readonly taskId: string | undefined;
  readonly taskInput: JsonObject | undefined;
  readonly workflowInput: JsonObject | undefined;
  readonly correlationId: string | undefined;
}

/** Runs again from one task, which keeps its id and retry count, or from the start. Throws 409 while it runs. */
export function rerunRun(draft: Draft, request: RerunRequest): void {
  const { workflow } = draft;
  if (!isWorkflowEnded(workflow.status)) {
    throw conflict(`Workflow: ${longName(workflow)} is not in terminal state, unable to rerun.`);
  }
  const from = draft.tasks.find((task) => task.taskId === request.taskId);
  if (request.taskId !== undefined && from === undefined) throw badRequest(`Task ${request.taskId} not found`);
  if (from !== undefined && isSystemTask(from)) throw notHere(`rerun from a ${from.taskType} task`);
  openAgain(draft, request);
  if (from === undefined) {
    draft.remove(draft.tasks);
  } else {
    draft.remove(draft.tasks.filter((task) => task.seq > from.seq));
    runAgain(draft, from, request.taskInput);
  }
  decideDraft(draft);
}

function openAgain(draft: Draft, request: RerunRequest): void {
  const { workflow } = draft;
  workflow.status = "RUNNING";
  workflow.reasonForIncompletion = undefined;
  workflow.failedTaskId = undefined;
  workflow.failedReferenceTaskNames = [];
  workflow.failedTaskNames = [];
  if (request.correlationId !== undefined) workflow.correlationId = request.correlationId;
  if (request.workflowInput !== undefined) workflow.input = request.workflowInput;
  draft.touchWorkflow();
}

function runAgain(draft: Draft, task: TaskRun, input: JsonObject | undefined): void {
  task.status = "SCHEDULED";
  task.scheduledTime = draft.env.nowMs;
  task.startTime = 0;
  task.endTime = 0;
  task.pollCount = 0;
  task.outputData = {};
  task.externalOutputPayloadStoragePath = undefined;
  task.retried = false;
  task.executed = false;
  if (input !== undefined) task.inputData = input;
  draft.touch(task);
  draft.queue(task);
}

/** Runs a whole workflow again: new tasks, retry counts from 0. Throws 409 while it runs, 404 where it may not be. */
export function restartRun(draft: Draft, latest: WorkflowDef | undefined): void {
  const { workflow, env } = draft;
  if (!isWorkflowEnded(workflow.status)) {
    throw conflict(`Workflow: ${longName(workflow)} is not in terminal state, unable to restart.`);
  }
  if (latest !== undefined) workflow.workflowDefinition = latest;
  if (!workflow.workflowDefinition.restartable && workflow.status === "COMPLETED") {
    throw notFound(`Workflow: ${longName(workflow)} is non-restartable`);
  }
  draft.remove(draft.tasks);
  workflow.status = "RUNNING";
  workflow.reasonForIncompletion = undefined;
  workflow.failedTaskId = undefined;
  workflow.createTime = env.nowMs;
  workflow.endTime = 0;
  workflow.lastRetriedTime = 0;
  workflow.output = {};
  draft.touchWorkflow();
  decideDraft(draft);
}

function shortName(workflow: WorkflowRun): string {
  const { name, version } = workflow.workflowDefinition;
  return `${name}.${version}/${workflow.workflowId}`;
}

function longName(workflow: WorkflowRun): string {
  return `${shortName(workflow)}.${workflow.status}`;
}
