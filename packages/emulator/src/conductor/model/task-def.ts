import { Fields } from "../fields.ts";
import type { Json, JsonObject } from "../json.ts";

/** What happens when a task takes too long. */
export type TimeoutPolicy = "RETRY" | "TIME_OUT_WF" | "ALERT_ONLY";
/** How the delay of retries grows. */
export type RetryLogic = "FIXED" | "EXPONENTIAL_BACKOFF" | "LINEAR_BACKOFF";

/** A task definition with all defaults filled in; names as on the wire. */
export interface TaskDef {
  readonly name: string;
  readonly description?: string;
  readonly ownerEmail?: string;
  readonly ownerApp?: string;
  readonly retryCount: number;
  readonly retryLogic: RetryLogic;
  readonly retryDelaySeconds: number;
  readonly maxRetryDelaySeconds: number;
  readonly backoffScaleFactor: number;
  readonly backoffJitterMs: number;
  readonly timeoutPolicy: TimeoutPolicy;
  readonly timeoutSeconds: number;
  readonly responseTimeoutSeconds: number;
  readonly pollTimeoutSeconds?: number;
  readonly totalTimeoutSeconds: number;
  readonly concurrentExecLimit?: number;
  readonly rateLimitPerFrequency: number;
  readonly rateLimitFrequencyInSeconds: number;
  readonly inputKeys: readonly string[];
  readonly outputKeys: readonly string[];
  readonly inputTemplate: JsonObject;
  readonly inputSchema?: Json;
  readonly outputSchema?: Json;
  readonly enforceSchema: boolean;
  readonly createTime: number;
  readonly updateTime: number;
  readonly createdBy?: string;
}

const POLICIES = ["RETRY", "TIME_OUT_WF", "ALERT_ONLY"] as const;
const LOGICS = ["FIXED", "EXPONENTIAL_BACKOFF", "LINEAR_BACKOFF"] as const;
const DEFAULT_RETRY_COUNT = 3;
const DEFAULT_RETRY_DELAY_SECONDS = 60;
const DEFAULT_RESPONSE_TIMEOUT_SECONDS = 3600;

/** Reads a definition from a body; throws a 500 where a field cannot be read. The rules are checked elsewhere. */
export function readTaskDef(value: Json | undefined): TaskDef {
  const fields = new Fields(value, "TaskDef");
  return {
    name: fields.text("name") ?? "",
    ...optional("description", fields.text("description")),
    ...optional("ownerEmail", fields.text("ownerEmail")),
    ...optional("ownerApp", fields.text("ownerApp")),
    // A null that Java reads into an int is 0, a field that is left out has the default.
    retryCount: numberOrNull(fields, value, "retryCount", DEFAULT_RETRY_COUNT),
    retryLogic: fields.word("retryLogic", LOGICS) ?? "FIXED",
    retryDelaySeconds: numberOrNull(fields, value, "retryDelaySeconds", DEFAULT_RETRY_DELAY_SECONDS),
    maxRetryDelaySeconds: fields.int("maxRetryDelaySeconds", 0),
    backoffScaleFactor: fields.int("backoffScaleFactor", 1),
    backoffJitterMs: fields.int("backoffJitterMs", 0),
    timeoutPolicy: fields.word("timeoutPolicy", POLICIES) ?? "TIME_OUT_WF",
    timeoutSeconds: fields.int("timeoutSeconds", 0),
    responseTimeoutSeconds: numberOrNull(fields, value, "responseTimeoutSeconds", DEFAULT_RESPONSE_TIMEOUT_SECONDS),
    ...optional("pollTimeoutSeconds", fields.optionalInt("pollTimeoutSeconds")),
    totalTimeoutSeconds: fields.int("totalTimeoutSeconds", 0),
    ...optional("concurrentExecLimit", fields.optionalInt("concurrentExecLimit")),
    rateLimitPerFrequency: fields.int("rateLimitPerFrequency", 0),
    rateLimitFrequencyInSeconds: fields.int("rateLimitFrequencyInSeconds", 1),
    inputKeys: fields.texts("inputKeys"),
    outputKeys: fields.texts("outputKeys"),
    inputTemplate: fields.object("inputTemplate"),
    ...optional("inputSchema", fields.raw("inputSchema")),
    ...optional("outputSchema", fields.raw("outputSchema")),
    enforceSchema: fields.flag("enforceSchema", false),
    ...optional("createdBy", fields.text("createdBy")),
    createTime: fields.int("createTime", 0),
    updateTime: fields.int("updateTime", 0),
  };
}

/** The definition that counts for a worker task whose name is not registered. */
export function defaultTaskDef(name: string): TaskDef {
  return readTaskDef({ name });
}

/** What stands for the definition of a task that the engine does itself: it has neither retries nor timeouts. */
export function systemTaskDef(name: string): TaskDef {
  return { ...readTaskDef({ name }), retryCount: 0, responseTimeoutSeconds: 0 };
}

/** A definition as it is answered. */
export function taskDefView(def: TaskDef): object {
  const { inputKeys, outputKeys, inputTemplate, ...rest } = def;
  return {
    ...rest,
    inputKeys: [...inputKeys],
    outputKeys: [...outputKeys],
    inputTemplate,
    runtimeMetadata: [],
    taskStatusListenerEnabled: true,
  };
}

function numberOrNull(fields: Fields, value: Json | undefined, name: string, fallback: number): number {
  const isNull = typeof value === "object" && value !== null && !Array.isArray(value) && value[name] === null;
  return isNull ? 0 : fields.int(name, fallback);
}

/** A property that is there only where it has a value. */
export function optional<N extends string, V>(name: N, value: V | undefined): { [name in N]?: V } {
  const result: { [name in N]?: V } = {};
  if (value !== undefined) result[name] = value;
  return result;
}
