import type { TaskRun, WorkflowRun } from "./run.ts";
import { taskDefView } from "./task-def.ts";
import { workflowDefView, workflowTaskView } from "./workflow-def.ts";

/** A task as it is answered; undefined is left out of JSON. */
export function taskView(task: TaskRun): object {
  const { workflowTask, firstScheduledTime: _kept, ...plain } = task;
  const def = workflowTask.taskDefinition;
  return {
    ...plain,
    callbackFromWorker: true,
    subworkflowChanged: false,
    firstStartTime: 0,
    executionMetadata: { additionalContext: {}, empty: true, additionalContextMap: {} },
    loopOverTask: task.iteration > 0,
    queueWaitTime: task.startTime > 0 ? task.startTime - task.scheduledTime : 0,
    workflowTask: workflowTaskView(workflowTask),
    taskDefinition: def === undefined ? undefined : taskDefView(def),
  };
}

/** A run as it is answered. */
export function workflowView(run: WorkflowRun, tasks: readonly TaskRun[]): object {
  const { workflowDefinition, failedTaskId: _kept, ...plain } = run;
  return {
    ...plain,
    ownerApp: "",
    startTime: run.createTime,
    workflowName: workflowDefinition.name,
    workflowVersion: workflowDefinition.version,
    history: [],
    rateLimited: false,
    tasks: tasks.map(taskView),
    workflowDefinition: workflowDefView(workflowDefinition),
  };
}
