import { isTaskEnded, type TaskRun } from "../model/run.ts";
import type { WorkflowTask } from "../model/workflow-def.ts";
import type { Draft } from "./draft.ts";
import { nextStep } from "./steps.ts";
import { EndOfRun } from "./terminate.ts";

/** The tasks that a step makes. Those whose reference name runs or has ended are left out. */
export function tasksOfStep(draft: Draft, step: WorkflowTask): TaskRun[] {
  const present = new Set(
    draft.tasks
      .filter((task) => task.status === "IN_PROGRESS" || isTaskEnded(task.status))
      .map((task) => task.referenceTaskName),
  );
  return makeTasks(draft, step).filter((task) => !present.has(task.referenceTaskName));
}

function makeTasks(draft: Draft, step: WorkflowTask): TaskRun[] {
  switch (step.type) {
    case "FORK_JOIN":
      return forkTasks(draft, step);
    case "JOIN":
      return [{ ...started(draft, step, "JOIN"), taskDefName: "JOIN", inputData: { joinOn: [...step.joinOn] } }];
    case "SWITCH":
      return switchTasks(draft, step);
    case "DO_WHILE":
      return [{ ...started(draft, step, "DO_WHILE"), iteration: 1, outputData: { iteration: 1 } }];
    default:
      return [workerTask(draft, step)];
  }
}

function workerTask(draft: Draft, step: WorkflowTask): TaskRun {
  const task = blankTask(draft, step, step.name);
  const def = step.taskDefinition;
  return {
    ...task,
    inputData: draft.input(step.inputParameters, task.taskId, def),
    responseTimeoutSeconds: def?.responseTimeoutSeconds ?? 0,
    rateLimitPerFrequency: def?.rateLimitPerFrequency ?? 0,
    rateLimitFrequencyInSeconds: def?.rateLimitFrequencyInSeconds ?? 1,
    startDelayInSeconds: step.startDelay,
    callbackAfterSeconds: step.startDelay,
  };
}

function forkTasks(draft: Draft, step: WorkflowTask): TaskRun[] {
  const { nowMs } = draft.env;
  const fork: TaskRun = { ...started(draft, step, "FORK"), taskDefName: "FORK", status: "COMPLETED", endTime: nowMs };
  fork.inputData = {};
  const branches = step.forkTasks.flatMap((branch) => (branch[0] === undefined ? [] : tasksOfStep(draft, branch[0])));
  const join = nextStep(draft.workflow.workflowDefinition, step.taskReferenceName);
  if (join?.type !== "JOIN") {
    throw new EndOfRun("Fork task definition is not followed by a join task.  Check the blueprint", "FAILED");
  }
  return [fork, ...branches, ...tasksOfStep(draft, join)];
}

function switchTasks(draft: Draft, step: WorkflowTask): TaskRun[] {
  const task = started(draft, step, "SWITCH");
  task.taskDefName = "SWITCH";
  const value = String(task.inputData[step.expression ?? ""] ?? "null");
  const chosen = step.decisionCases[value] ?? [];
  const first = (chosen.length > 0 ? chosen : step.defaultCase)[0];
  task.inputData["case"] = value;
  task.outputData = { evaluationResult: [value], selectedCase: value };
  if (first === undefined) return [task];
  task.inputData["hasChildren"] = "true";
  return [task, ...tasksOfStep(draft, first)];
}

function started(draft: Draft, step: WorkflowTask, taskType: string): TaskRun {
  const task = blankTask(draft, step, taskType);
  task.status = "IN_PROGRESS";
  task.startTime = draft.env.nowMs;
  task.inputData = draft.input(step.inputParameters, task.taskId);
  return task;
}

function blankTask(draft: Draft, step: WorkflowTask, taskType: string): TaskRun {
  const { workflow, env } = draft;
  return {
    taskId: env.newId(),
    taskType,
    taskDefName: step.name,
    referenceTaskName: step.taskReferenceName,
    status: "SCHEDULED",
    workflowInstanceId: workflow.workflowId,
    workflowType: workflow.workflowDefinition.name,
    correlationId: workflow.correlationId,
    workflowPriority: workflow.priority,
    seq: 0,
    retryCount: 0,
    retried: false,
    executed: false,
    iteration: 0,
    pollCount: 0,
    scheduledTime: 0,
    startTime: 0,
    endTime: 0,
    updateTime: 0,
    firstScheduledTime: 0,
    startDelayInSeconds: 0,
    callbackAfterSeconds: 0,
    responseTimeoutSeconds: 0,
    rateLimitPerFrequency: 0,
    rateLimitFrequencyInSeconds: 0,
    inputData: {},
    outputData: {},
    workflowTask: step,
  };
}
