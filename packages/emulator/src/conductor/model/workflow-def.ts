import { Fields } from "../fields.ts";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { optional, readTaskDef, taskDefView, type TaskDef } from "./task-def.ts";

/** One step of a workflow definition; names as on the wire. */
export interface WorkflowTask {
  readonly name: string;
  readonly taskReferenceName: string;
  readonly description?: string;
  /** `SIMPLE`, `FORK_JOIN`, `JOIN`, `SWITCH`, `DO_WHILE`; others are refused when they are registered. */
  readonly type: string;
  readonly inputParameters: JsonObject;
  readonly startDelay: number;
  readonly optional: boolean;
  readonly retryCount?: number;
  readonly forkTasks: readonly (readonly WorkflowTask[])[];
  readonly joinOn: readonly string[];
  readonly evaluatorType?: string;
  readonly expression?: string;
  readonly decisionCases: Readonly<Record<string, readonly WorkflowTask[]>>;
  readonly defaultCase: readonly WorkflowTask[];
  readonly loopCondition?: string;
  readonly loopOver: readonly WorkflowTask[];
  /** The task's definition as it was when the workflow was started (case C06). */
  readonly taskDefinition?: TaskDef;
  /** Fields that this emulator does not act on; see `definitions/beyond.ts`. */
  readonly beyond: JsonObject;
}

/** A workflow definition. */
export interface WorkflowDef {
  readonly name: string;
  readonly version: number;
  readonly description?: string;
  readonly ownerEmail?: string;
  readonly ownerApp?: string;
  readonly schemaVersion: number;
  readonly restartable: boolean;
  readonly timeoutPolicy: "TIME_OUT_WF" | "ALERT_ONLY";
  readonly timeoutSeconds: number;
  readonly tasks: readonly WorkflowTask[];
  readonly inputParameters: readonly string[];
  readonly outputParameters: JsonObject;
  readonly inputTemplate: JsonObject;
  readonly variables: JsonObject;
  readonly failureWorkflow?: string;
  readonly metadata: JsonObject;
  readonly enforceSchema: boolean;
  readonly createTime: number;
  readonly updateTime: number;
}

const BEYOND = [
  "permissive",
  "asyncComplete",
  "onStateChange",
  "cacheConfig",
  "items",
  "joinStatus",
  "joinMode",
  "sink",
  "dynamicTaskNameParam",
];
/** Steps inside steps; deeper ones are refused. */
const MAX_DEPTH = 50;

/** Reads a workflow definition from a body; throws a 500 where a field cannot be read. */
export function readWorkflowDef(value: Json | undefined): WorkflowDef {
  const fields = new Fields(value, "WorkflowDef");
  return {
    name: fields.text("name") ?? "",
    version: fields.int("version", 1),
    ...optional("description", fields.text("description")),
    ...optional("ownerEmail", fields.text("ownerEmail")),
    ...optional("ownerApp", fields.text("ownerApp")),
    schemaVersion: fields.int("schemaVersion", 2),
    restartable: fields.flag("restartable", true),
    timeoutPolicy: fields.word("timeoutPolicy", ["TIME_OUT_WF", "ALERT_ONLY"] as const) ?? "ALERT_ONLY",
    timeoutSeconds: fields.int("timeoutSeconds", 0),
    tasks: fields.list("tasks").map((task) => readWorkflowTask(task, 0)),
    inputParameters: fields.texts("inputParameters"),
    outputParameters: fields.object("outputParameters"),
    inputTemplate: fields.object("inputTemplate"),
    variables: fields.object("variables"),
    ...optional("failureWorkflow", fields.text("failureWorkflow")),
    metadata: fields.object("metadata"),
    enforceSchema: fields.flag("enforceSchema", true),
    createTime: fields.int("createTime", 0),
    updateTime: fields.int("updateTime", 0),
  };
}

function readWorkflowTask(value: Json, depth: number): WorkflowTask {
  const fields = new Fields(value, "WorkflowTask");
  if (depth > MAX_DEPTH) throw new RangeError(`steps lie deeper than ${MAX_DEPTH} in each other`);
  const inner = (list: readonly Json[]): WorkflowTask[] => list.map((one) => readWorkflowTask(one, depth + 1));
  const cases = fields.object("decisionCases");
  const embedded = fields.raw("taskDefinition");
  return {
    name: fields.text("name") ?? "",
    taskReferenceName: fields.text("taskReferenceName") ?? "",
    ...optional("description", fields.text("description")),
    type: fields.text("type") ?? "SIMPLE",
    inputParameters: fields.object("inputParameters"),
    startDelay: fields.int("startDelay", 0),
    optional: fields.flag("optional", false),
    ...optional("retryCount", fields.optionalInt("retryCount")),
    forkTasks: fields.list("forkTasks").map((branch) => inner(Array.isArray(branch) ? branch : [])),
    joinOn: fields.texts("joinOn"),
    ...optional("evaluatorType", fields.text("evaluatorType")),
    ...optional("expression", fields.text("expression")),
    decisionCases: Object.fromEntries(
      Object.entries(cases).map(([key, one]) => [key, inner(Array.isArray(one) ? one : [])]),
    ),
    defaultCase: inner(fields.list("defaultCase")),
    ...optional("loopCondition", fields.text("loopCondition")),
    loopOver: inner(fields.list("loopOver")),
    ...(isJsonObject(embedded) ? { taskDefinition: readTaskDef(embedded) } : {}),
    beyond: readBeyond(fields),
  };
}

function readBeyond(fields: Fields): JsonObject {
  const found: JsonObject = {};
  for (const name of BEYOND) {
    const value = fields.raw(name);
    if (value === undefined || value === false || (isJsonObject(value) && Object.keys(value).length === 0)) continue;
    found[name] = value;
  }
  return found;
}

/** A step as it is answered. */
export function workflowTaskView(task: WorkflowTask): object {
  const { beyond, taskDefinition, forkTasks, decisionCases, defaultCase, loopOver, joinOn, ...plain } = task;
  const views = (list: readonly WorkflowTask[]): object[] => list.map(workflowTaskView);
  return {
    ...plain,
    joinOn: [...joinOn],
    forkTasks: forkTasks.map(views),
    decisionCases: Object.fromEntries(Object.entries(decisionCases).map(([key, list]) => [key, views(list)])),
    defaultCase: views(defaultCase),
    loopOver: views(loopOver),
    defaultExclusiveJoinTask: [],
    asyncComplete: false,
    onStateChange: {},
    permissive: false,
    metadata: {},
    ...beyond,
    ...(taskDefinition === undefined ? {} : { taskDefinition: taskDefView(taskDefinition) }),
  };
}

/** A workflow definition as it is answered. */
export function workflowDefView(def: WorkflowDef): object {
  const { tasks, inputParameters, ...plain } = def;
  return {
    ...plain,
    inputParameters: [...inputParameters],
    tasks: tasks.map(workflowTaskView),
    workflowStatusListenerEnabled: false,
    maskedFields: [],
  };
}
