import { setTimeout as pause } from "node:timers/promises";
import type { ConductorClient } from "@perago/worker";
import { z } from "zod";
import { TestingError } from "./errors.ts";

const REQUEST_TIMEOUT_MS = 15_000;
const LOOK_EVERY_MS = 20;
/** Step of the workflow that a bench starts. */
const STEP = "step";

const taskShape = z.object({
  taskId: z.string(),
  status: z.string(),
  retryCount: z.number().default(0),
  reasonForIncompletion: z.string().nullish(),
  outputData: z.record(z.string(), z.unknown()).default({}),
});
const workflowShape = z.object({ status: z.string(), tasks: z.array(taskShape).default([]) });

/** A task as Conductor shows it. */
export type EngineTask = z.infer<typeof taskShape>;
/** A workflow with its tasks, oldest first. */
export type EngineWorkflow = z.infer<typeof workflowShape>;

/** Name of the one-step workflow of a task. */
export function workflowName(taskName: string): string {
  return `test.${taskName}`;
}

/** Registers a workflow of one step for the task; its input is the task's. */
export async function registerOneStep(
  conductor: ConductorClient,
  task: { readonly name: string; readonly hasWorkspace: boolean; readonly ownerEmail: string },
): Promise<void> {
  const workspace = task.hasWorkspace ? { workspace: "${workflow.input.workspace}" } : {};
  const step = {
    name: task.name,
    taskReferenceName: STEP,
    type: "SIMPLE",
    inputParameters: { ...workspace, params: "${workflow.input.params}" },
  };
  const definition = {
    name: workflowName(task.name),
    version: 1,
    schemaVersion: 2,
    ownerEmail: task.ownerEmail,
    timeoutSeconds: 0,
    timeoutPolicy: "ALERT_ONLY",
    tasks: [step],
  };
  const bodyJson = JSON.stringify([definition]);
  await conductor.send({ method: "PUT", path: "/metadata/workflow", bodyJson, timeoutMs: REQUEST_TIMEOUT_MS });
}

/** Starts the task's workflow; answers its id. */
export async function startWorkflow(conductor: ConductorClient, taskName: string, input: object): Promise<string> {
  const bodyJson = JSON.stringify({ name: workflowName(taskName), version: 1, input });
  const answer = await conductor.send({ method: "POST", path: "/workflow", bodyJson, timeoutMs: REQUEST_TIMEOUT_MS });
  return answer.text.trim();
}

/** Waits until the workflow is neither running nor paused. Throws a TestingError after `timeoutMs`. */
export async function untilEnded(
  conductor: ConductorClient,
  workflowId: string,
  timeoutMs: number,
): Promise<EngineWorkflow> {
  const endMs = performance.now() + timeoutMs;
  const path = `/workflow/${encodeURIComponent(workflowId)}`;
  let seen: EngineWorkflow;
  do {
    const query = { includeTasks: "true" };
    const answer = await conductor.send({ method: "GET", path, query, timeoutMs: REQUEST_TIMEOUT_MS });
    seen = workflowShape.parse(JSON.parse(answer.text));
    if (seen.status !== "RUNNING" && seen.status !== "PAUSED") return seen;
    await pause(LOOK_EVERY_MS);
  } while (performance.now() < endMs);
  const tasks = seen.tasks.map(({ status, retryCount }) => `attempt ${retryCount} ${status}`).join(", ");
  const shown = tasks === "" ? "no task" : tasks;
  const message = `workflow ${workflowId} is ${seen.status} after ${timeoutMs} ms (${shown})`;
  throw new TestingError("not_in_time", message, "Give more time with `timeoutMs`, or look at the bench's `logs()`.");
}
