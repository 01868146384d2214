/** A JSON Schema (draft 7) as Conductor stores it beside a TaskDef. */
export interface TaskSchemaDef {
  /** `<task>.input` or `<task>.output`. */
  readonly name: string;
  readonly version: 1;
  readonly type: "JSON";
  readonly data: Readonly<Record<string, unknown>>;
}

/** The Conductor TaskDef that a task's code stands for: the fields that Perago owns, in this order. */
export interface TaskDef {
  readonly name: string;
  readonly description?: string;
  readonly ownerEmail: string;
  readonly retryCount: number;
  readonly retryLogic: "FIXED" | "LINEAR_BACKOFF" | "EXPONENTIAL_BACKOFF";
  readonly retryDelaySeconds: number;
  readonly maxRetryDelaySeconds: number;
  readonly backoffJitterMs: number;
  readonly timeoutPolicy: "TIME_OUT_WF" | "RETRY" | "ALERT_ONLY";
  readonly timeoutSeconds: number;
  readonly responseTimeoutSeconds: number;
  /** Only where the task sets it (case C12). */
  readonly pollTimeoutSeconds?: number;
  readonly totalTimeoutSeconds: number;
  readonly concurrentExecLimit?: number;
  readonly rateLimitPerFrequency?: number;
  readonly rateLimitFrequencyInSeconds?: number;
  readonly inputKeys: readonly string[];
  readonly outputKeys: readonly string[];
  readonly inputSchema: TaskSchemaDef;
  readonly outputSchema: TaskSchemaDef;
}
