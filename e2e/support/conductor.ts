import { z } from "zod";
import { realServers } from "./settings.ts";
import { until, type Patience } from "./until.ts";

const REQUEST_TIMEOUT_MS = 20_000;
const OWNER = "e2e@example.com";

const taskShape = z.looseObject({
  taskId: z.string(),
  taskDefName: z.string(),
  taskType: z.string(),
  referenceTaskName: z.string(),
  workflowInstanceId: z.string(),
  status: z.string(),
  retryCount: z.number(),
  seq: z.number(),
  pollCount: z.number(),
  iteration: z.number().default(0),
  scheduledTime: z.number(),
  startTime: z.number().default(0),
  endTime: z.number().default(0),
  updateTime: z.number().default(0),
  retriedTaskId: z.string().nullish(),
  workerId: z.string().nullish(),
  reasonForIncompletion: z.string().nullish(),
  inputData: z.record(z.string(), z.unknown()).default({}),
  outputData: z.record(z.string(), z.unknown()).default({}),
});
const workflowShape = z.looseObject({
  workflowId: z.string(),
  status: z.string(),
  reasonForIncompletion: z.string().nullish(),
  output: z.record(z.string(), z.unknown()).default({}),
  tasks: z.array(taskShape).default([]),
});

/** A task as Conductor shows it. */
export type EngineTask = z.infer<typeof taskShape>;
/** A workflow with its tasks, in the order they were made. */
export type EngineWorkflow = z.infer<typeof workflowShape>;

/** One step of a test's workflow. Input is `{workspace, params}` of the workflow's input unless given. */
export interface Step {
  readonly task: string;
  /** Reference name; default `step`. */
  readonly ref?: string;
  readonly input?: Readonly<Record<string, unknown>>;
}

/** An update as a worker sends it. */
export interface TaskUpdate {
  readonly status?: "COMPLETED" | "FAILED" | "FAILED_WITH_TERMINAL_ERROR" | "IN_PROGRESS";
  readonly outputData?: Readonly<Record<string, unknown>>;
  readonly reasonForIncompletion?: string;
  readonly workerId?: string;
}

/** Registers or overwrites a workflow; names must be a test file's own, so that tests never share queues. */
export async function registerWorkflow(name: string, steps: readonly Step[]): Promise<void> {
  const tasks = steps.map(({ task, ref = "step", input }) => ({
    name: task,
    taskReferenceName: ref,
    type: "SIMPLE",
    inputParameters: input ?? { workspace: "${workflow.input.workspace}", params: "${workflow.input.params}" },
  }));
  const definition = { name, version: 1, schemaVersion: 2, ownerEmail: OWNER, timeoutSeconds: 0, tasks };
  await call("PUT", "/metadata/workflow", [{ ...definition, timeoutPolicy: "ALERT_ONLY" }]);
}

/** Registers a bare TaskDef, for a task that this test polls by hand. */
export async function registerTaskDef(definition: Readonly<Record<string, unknown>> & { name: string }): Promise<void> {
  const defaults = { ownerEmail: OWNER, retryCount: 0, responseTimeoutSeconds: 5, timeoutSeconds: 0 };
  await call("POST", "/metadata/taskdefs", [{ ...defaults, ...definition }]);
}

/** The registered TaskDef; undefined where there is none. */
export async function readTaskDef(name: string): Promise<Record<string, unknown> | undefined> {
  const { status, text } = await exchange("GET", `/metadata/taskdefs/${encodeURIComponent(name)}`);
  if (status === 404) return undefined;
  return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
}

/** Starts a workflow; returns its instance id. */
export function startWorkflow(
  name: string,
  input: Readonly<Record<string, unknown>>,
  correlationId?: string,
): Promise<string> {
  return call("POST", "/workflow", {
    name,
    version: 1,
    input,
    ...(correlationId === undefined ? {} : { correlationId }),
  });
}

/** Starts a workflow whose tasks all go to the workers of one domain; returns its instance id. */
export function startWorkflowInDomain(
  name: string,
  input: Readonly<Record<string, unknown>>,
  domain: string,
): Promise<string> {
  return call("POST", "/workflow", { name, version: 1, input, taskToDomain: { "*": domain } });
}

/** A workflow with its tasks. */
export async function getWorkflow(workflowId: string): Promise<EngineWorkflow> {
  return workflowShape.parse(JSON.parse(await call("GET", `/workflow/${workflowId}?includeTasks=true`)));
}

/** A task, read afresh. */
export async function getTask(taskId: string): Promise<EngineTask> {
  return taskShape.parse(JSON.parse(await call("GET", `/tasks/${taskId}`)));
}

/** Has the engine decide a workflow now; its own sweep may be 90 s late. */
export async function decide(workflowId: string): Promise<void> {
  await call("PUT", `/workflow/decide/${workflowId}`);
}

/** Waits until a probe of the workflow gives a value, while overdue decisions are forced (`decide`). */
export async function untilWorkflow<T>(
  workflowId: string,
  what: string,
  probe: (workflow: EngineWorkflow) => T | undefined | false | Promise<T | undefined | false>,
  patience: Patience & { readonly decide?: boolean } = {},
): Promise<T> {
  let seen = "nothing";
  return until(
    `${what} (workflow ${workflowId})`,
    async () => {
      if (patience.decide === true) await decide(workflowId);
      const workflow = await getWorkflow(workflowId);
      seen = describe(workflow);
      return probe(workflow);
    },
    { everyMs: 80, ...patience },
    () => seen,
  );
}

/** Waits until a workflow is neither running nor paused. */
export function untilEnded(
  workflowId: string,
  patience: Patience & { readonly decide?: boolean } = {},
): Promise<EngineWorkflow> {
  const ended = (workflow: EngineWorkflow) =>
    workflow.status !== "RUNNING" && workflow.status !== "PAUSED" ? workflow : undefined;
  return untilWorkflow(workflowId, "the workflow has ended", ended, patience);
}

/** Waits until the newest task of a reference name has one of the statuses. */
export function untilTask(
  workflowId: string,
  statuses: readonly string[],
  options: Patience & { readonly decide?: boolean; readonly ref?: string; readonly retryCount?: number } = {},
): Promise<EngineTask> {
  const { ref = "step", retryCount } = options;
  return untilWorkflow(
    workflowId,
    `task ${ref} is ${statuses.join(" or ")}`,
    ({ tasks }) => {
      const mine = tasks.filter((task) => task.referenceTaskName === ref);
      const task = retryCount === undefined ? mine.at(-1) : mine.find((each) => each.retryCount === retryCount);
      return task !== undefined && statuses.includes(task.status) ? task : undefined;
    },
    options,
  );
}

/** Ends a workflow as a person does. */
export async function terminate(workflowId: string): Promise<void> {
  await call("DELETE", `/workflow/${workflowId}?reason=test`);
}
/** Removes a workflow with its tasks: the engine knows neither afterwards. */
export async function removeWorkflow(workflowId: string): Promise<void> {
  await call("DELETE", `/workflow/${workflowId}/remove?archiveWorkflow=false`);
}
/** Pauses a workflow: no new task is scheduled. */
export async function pause(workflowId: string): Promise<void> {
  await call("PUT", `/workflow/${workflowId}/pause`);
}
/** Resumes a paused workflow. */
export async function resume(workflowId: string): Promise<void> {
  await call("PUT", `/workflow/${workflowId}/resume`);
}
/** Runs an ended workflow again from its start, with the same id. */
export async function restart(workflowId: string): Promise<void> {
  await call("POST", `/workflow/${workflowId}/restart`);
}
/** Retries the failed task of a failed workflow. */
export async function retry(workflowId: string): Promise<void> {
  await call("POST", `/workflow/${workflowId}/retry`);
}
/** Reruns a workflow from a task: it keeps task id and retry count, and gets a new scheduled time. */
export async function rerun(workflowId: string, taskId: string): Promise<void> {
  await call("POST", `/workflow/${workflowId}/rerun`, { reRunFromWorkflowId: workflowId, reRunFromTaskId: taskId });
}

/** Polls a task once, as another worker does. */
export async function poll(task: string, workerId: string): Promise<EngineTask | undefined> {
  const query = `workerid=${encodeURIComponent(workerId)}&count=1&timeout=100`;
  const text = await call("GET", `/tasks/poll/batch/${encodeURIComponent(task)}?${query}`);
  return text.trim() === "" ? undefined : z.array(taskShape).parse(JSON.parse(text))[0];
}

/** Sends a result or a progress update, as another worker does. */
export async function update(task: EngineTask, change: TaskUpdate): Promise<void> {
  const { workflowInstanceId, taskId } = task;
  await call("POST", "/tasks", { workflowInstanceId, taskId, ...change });
}

/** Number of tasks that wait in a queue. */
export async function queueSize(task: string): Promise<number> {
  const text = await call("GET", `/tasks/queue/sizes?taskType=${encodeURIComponent(task)}`);
  return z.record(z.string(), z.number()).parse(JSON.parse(text))[task] ?? 0;
}

function describe({ status, tasks }: EngineWorkflow): string {
  const lines = tasks.map(({ referenceTaskName, retryCount, status: state, reasonForIncompletion }) => {
    return `${referenceTaskName}#${retryCount} ${state} ${reasonForIncompletion ?? ""}`.trim();
  });
  return [status, ...lines].join(", ");
}

async function call(method: string, path: string, body?: unknown): Promise<string> {
  const { status, text } = await exchange(method, path, body);
  if (status >= 200 && status < 300) return text;
  throw new Error(`${method} ${path} answered ${status}: ${text.slice(0, 500)}`);
}

async function exchange(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
  const response = await fetch(`${realServers().conductorUrl}${path}`, {
    method,
    headers: { accept: "application/json, text/plain", "content-type": "application/json" },
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}
