import { z } from "zod";

const REQUEST_TIMEOUT_MS = 10_000;
const OWNER = "chaos@example.com";
const ENDED: ReadonlySet<string> = new Set(["COMPLETED", "FAILED", "TERMINATED", "TIMED_OUT"]);

const workspaceShape = z.object({ workspace: z.object({ ref: z.string() }) });
const taskShape = z.object({
  taskId: z.string(),
  taskDefName: z.string(),
  referenceTaskName: z.string(),
  iteration: z.number().default(0),
  status: z.string(),
  retryCount: z.number(),
  pollCount: z.number().default(0),
  scheduledTime: z.number(),
  endTime: z.number().default(0),
  reasonForIncompletion: z.string().nullish(),
  inputData: z.record(z.string(), z.unknown()).default({}),
  outputData: z.record(z.string(), z.unknown()).default({}),
});
const workflowShape = z.object({ status: z.string(), tasks: z.array(taskShape).default([]) });

/** A task as the engine shows it. */
export type SeenTask = z.infer<typeof taskShape>;
/** A workflow with its tasks in the order they were made. */
export type SeenWorkflow = z.infer<typeof workflowShape>;

/** Conductor, as people and the controller use it. Methods throw where it is away. */
export interface Engine {
  registerWorkflows(taskName: string, name: (stepCount: number) => string, maxSteps: number): Promise<void>;
  start(name: string, input: unknown): Promise<string>;
  workflow(workflowId: string): Promise<SeenWorkflow>;
  decide(workflowId: string): Promise<void>;
  terminate(workflowId: string): Promise<void>;
  restart(workflowId: string): Promise<void>;
  retry(workflowId: string): Promise<void>;
  rerun(workflowId: string, taskId: string): Promise<void>;
  /** Puts a running task back into its queue, as a lost acknowledgement does (case R03 says how). */
  handOutAgain(workflowId: string, taskId: string): Promise<void>;
}

/** Whether a workflow is neither running nor paused. */
export function hasEnded({ status }: SeenWorkflow): boolean {
  return ENDED.has(status);
}

/** The commit id in a task's `workspace.ref`, input or output. */
export function refOf(data: Readonly<Record<string, unknown>>): string | undefined {
  const parsed = workspaceShape.safeParse(data);
  return parsed.success ? parsed.data.workspace.ref : undefined;
}

/** The engine at an address that ends in `/api`. */
export function openEngine(serverUrl: string): Engine {
  const call = async (method: string, path: string, body?: unknown): Promise<string> => {
    const answer = await fetch(`${serverUrl}${path}`, {
      method,
      headers: { "content-type": "application/json" },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text.slice(0, 300)}`);
    return text;
  };
  const act = async (method: string, path: string, body?: unknown): Promise<void> =>
    void (await call(method, path, body));
  return {
    async registerWorkflows(taskName, name, maxSteps) {
      const all = Array.from({ length: maxSteps }, (_, index) =>
        workflowDefinition(taskName, name(index + 1), index + 1),
      );
      await act("PUT", "/metadata/workflow", all);
    },
    start: (name, input) => call("POST", "/workflow", { name, version: 1, input }),
    workflow: async (id) => workflowShape.parse(JSON.parse(await call("GET", `/workflow/${id}?includeTasks=true`))),
    decide: (id) => act("PUT", `/workflow/decide/${id}`),
    terminate: (id) => act("DELETE", `/workflow/${id}?reason=chaos`),
    restart: (id) => act("POST", `/workflow/${id}/restart`),
    retry: (id) => act("POST", `/workflow/${id}/retry`),
    rerun: (id, taskId) => act("POST", `/workflow/${id}/rerun`, { reRunFromWorkflowId: id, reRunFromTaskId: taskId }),
    handOutAgain: (workflowInstanceId, taskId) =>
      act("POST", "/tasks", { workflowInstanceId, taskId, status: "IN_PROGRESS", callbackAfterSeconds: 0 }),
  };
}

/** Steps `s1`, `s2`, ...: each takes what the one before has published, and params of its own. */
function workflowDefinition(taskName: string, name: string, stepCount: number): unknown {
  const tasks = Array.from({ length: stepCount }, (_, index) => {
    const workspace = index === 0 ? "${workflow.input.workspace}" : `\${s${index}.output.workspace}`;
    const inputParameters = { workspace, params: `\${workflow.input.params${index + 1}}` };
    return { name: taskName, taskReferenceName: `s${index + 1}`, type: "SIMPLE", inputParameters };
  });
  const common = { version: 1, schemaVersion: 2, ownerEmail: OWNER, timeoutSeconds: 0, timeoutPolicy: "ALERT_ONLY" };
  return { name, ...common, tasks };
}
