import { decideDraft } from "../decider/decide.ts";
import { Draft } from "../decider/draft.ts";
import { internal } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { WorkflowRun } from "../model/run.ts";
import { defaultTaskDef, systemTaskDef } from "../model/task-def.ts";
import type { WorkflowDef, WorkflowTask } from "../model/workflow-def.ts";
import type { Core } from "./core.ts";

/** Larger workflow inputs are refused (tried). */
const MAX_INPUT_BYTES = 10_485_760;
/** Larger ones are not kept inline: they read back as `{}` (tried). */
const MAX_INLINE_INPUT_BYTES = 5_242_880;

/** What a workflow is started with. */
export interface StartRequest {
  readonly def: WorkflowDef;
  readonly input: JsonObject;
  readonly correlationId: string | undefined;
  readonly priority: number;
  readonly taskToDomain: Record<string, string>;
}

/** Starts a workflow; its id. Throws a 500 for an input that is too large. */
export function startWorkflow(core: Core, request: StartRequest): string {
  const env = core.env();
  const workflow = newRun(core, request, env.newId(), env.nowMs);
  const queues = new Set<string>();
  core.transaction(() => {
    const draft = new Draft({ workflow, tasks: [] }, env);
    decideDraft(draft);
    core.save(draft, queues);
  });
  core.announce(queues);
  return workflow.workflowId;
}

function newRun(core: Core, request: StartRequest, workflowId: string, nowMs: number): WorkflowRun {
  const input = { ...request.def.inputTemplate, ...request.input };
  const sizeBytes = Buffer.byteLength(JSON.stringify(input));
  if (sizeBytes > MAX_INPUT_BYTES) {
    throw internal(
      `The payload size: ${sizeBytes} of workflow: ${workflowId} ` +
        `is greater than the permissible limit: ${MAX_INPUT_BYTES} bytes`,
    );
  }
  return {
    workflowId,
    workflowDefinition: withTaskDefinitions(core, request.def),
    status: "RUNNING",
    input: sizeBytes > MAX_INLINE_INPUT_BYTES ? {} : input,
    output: {},
    variables: structuredClone(request.def.variables),
    correlationId: request.correlationId,
    priority: request.priority,
    taskToDomain: request.taskToDomain,
    createTime: nowMs,
    updateTime: 0,
    endTime: 0,
    lastRetriedTime: 0,
    failedReferenceTaskNames: [],
    failedTaskNames: [],
  };
}

/** A definition with the task definitions as they are now: a run keeps those it started with (case C06). */
export function withTaskDefinitions(core: Core, def: WorkflowDef): WorkflowDef {
  const embed = (step: WorkflowTask): WorkflowTask => ({
    ...step,
    taskDefinition: step.taskDefinition ?? definitionOf(core, step),
    forkTasks: step.forkTasks.map((branch) => branch.map(embed)),
    decisionCases: Object.fromEntries(
      Object.entries(step.decisionCases).map(([value, steps]) => [value, steps.map(embed)]),
    ),
    defaultCase: step.defaultCase.map(embed),
    loopOver: step.loopOver.map(embed),
  });
  return { ...def, tasks: def.tasks.map(embed) };
}

function definitionOf(core: Core, step: WorkflowTask): NonNullable<WorkflowTask["taskDefinition"]> {
  if (step.type !== "SIMPLE") return systemTaskDef(step.name);
  return core.definitions.taskDef(step.name) ?? defaultTaskDef(step.name);
}
