import type { JsonObject } from "../json.ts";
import type { TaskRun, WorkflowRun } from "../model/run.ts";
import { withoutIteration } from "./iteration.ts";

/** What the expressions of a run see: `workflow`, and the newest task of each reference name. */
export function expressionRoot(workflow: WorkflowRun, tasks: readonly TaskRun[]): JsonObject {
  const root: JsonObject = {
    workflow: {
      input: workflow.input,
      output: workflow.output,
      status: workflow.status,
      workflowId: workflow.workflowId,
      parentWorkflowId: null,
      parentWorkflowTaskId: null,
      workflowType: workflow.workflowDefinition.name,
      version: workflow.workflowDefinition.version,
      correlationId: workflow.correlationId ?? null,
      reasonForIncompletion: workflow.reasonForIncompletion ?? null,
      schemaVersion: workflow.workflowDefinition.schemaVersion,
      variables: workflow.variables,
    },
  };
  for (const task of tasks) {
    const name = task.iteration > 0 ? withoutIteration(task.referenceTaskName) : task.referenceTaskName;
    root[name] = taskScope(task);
  }
  return root;
}

function taskScope(task: TaskRun): JsonObject {
  return {
    input: task.inputData,
    output: task.outputData,
    taskType: task.taskType,
    status: task.status,
    referenceTaskName: task.referenceTaskName,
    retryCount: task.retryCount,
    correlationId: task.correlationId ?? null,
    pollCount: task.pollCount,
    taskDefName: task.taskDefName,
    scheduledTime: task.scheduledTime,
    startTime: task.startTime,
    endTime: task.endTime,
    workflowInstanceId: task.workflowInstanceId,
    taskId: task.taskId,
    reasonForIncompletion: task.reasonForIncompletion ?? null,
    callbackAfterSeconds: task.callbackAfterSeconds,
    workerId: task.workerId ?? null,
    iteration: task.iteration,
  };
}
