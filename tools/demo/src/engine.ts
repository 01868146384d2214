import { z } from "zod";
import { DemoError, until } from "./until.ts";

const REQUEST_LIMIT_MS = 15_000;

const taskShape = z.object({
  taskId: z.string(),
  taskDefName: z.string(),
  referenceTaskName: z.string(),
  status: z.string(),
  retryCount: z.number().default(0),
  reasonForIncompletion: z.string().nullish(),
  outputData: z.record(z.string(), z.unknown()).default({}),
});
const workflowShape = z.object({ workflowId: z.string(), status: z.string(), tasks: z.array(taskShape).default([]) });

/** A task as Conductor shows it. */
export type EngineTask = z.infer<typeof taskShape>;
/** A workflow with its tasks. */
export type EngineWorkflow = z.infer<typeof workflowShape>;

/** The few calls to Conductor that the demo makes as a person does. */
export interface Engine {
  /** Starts the sample workflow; answers its id. */
  start(input: object): Promise<string>;
  read(workflowId: string): Promise<EngineWorkflow>;
  terminate(workflowId: string, reason: string): Promise<void>;
  /** Waits until the workflow has ended well. */
  untilCompleted(workflowId: string): Promise<EngineWorkflow>;
  /** Waits until an attempt of the step has one of the statuses. */
  untilAttempt(workflowId: string, step: string, retryCount: number, statuses: readonly string[]): Promise<EngineTask>;
}

/** Talks to the Conductor at this address. */
export function createEngine(url: string, workflowName: string, signal: AbortSignal): Engine {
  const call = async (method: string, path: string, body?: object): Promise<string> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { "content-type": "application/json" },
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_LIMIT_MS)]),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new DemoError(`Conductor answered ${response.status} to ${method} ${path}: ${text}`);
    return text;
  };
  const read = async (workflowId: string): Promise<EngineWorkflow> =>
    workflowShape.parse(JSON.parse(await call("GET", `/workflow/${workflowId}?includeTasks=true`)));
  return {
    start: (input) => call("POST", "/workflow", { name: workflowName, version: 1, input }),
    read,
    terminate: async (workflowId, reason) =>
      void (await call("DELETE", `/workflow/${workflowId}?reason=${encodeURIComponent(reason)}`)),
    untilCompleted: (workflowId) =>
      until(`workflow ${workflowId} completes`, signal, async () => {
        const workflow = await read(workflowId);
        if (workflow.status === "COMPLETED") return workflow;
        if (workflow.status === "RUNNING") return undefined;
        throw new DemoError(`workflow ${workflowId} is ${workflow.status}: ${reasonsOf(workflow)}`);
      }),
    untilAttempt: (workflowId, step, retryCount, statuses) =>
      until(`${step}, attempt ${retryCount}, is ${statuses.join(" or ")}`, signal, async () => {
        const { tasks } = await read(workflowId);
        const own = tasks.filter((task) => task.referenceTaskName === step && task.retryCount === retryCount);
        return own.findLast(({ status }) => statuses.includes(status));
      }),
  };
}

function reasonsOf({ tasks }: EngineWorkflow): string {
  return tasks.flatMap(({ reasonForIncompletion }) => reasonForIncompletion ?? []).join("; ");
}
