import { invalid, type ValidationFinding } from "../errors.ts";
import { Fields } from "../fields.ts";
import type { Json, JsonObject } from "../json.ts";

/** What a worker reports; names as on the wire. */
export interface TaskResult {
  readonly workflowInstanceId: string;
  readonly taskId: string;
  readonly workerId: string | undefined;
  readonly status: "IN_PROGRESS" | "FAILED" | "FAILED_WITH_TERMINAL_ERROR" | "COMPLETED" | "CANCELED";
  readonly reasonForIncompletion: string | undefined;
  readonly callbackAfterSeconds: number;
  readonly outputData: JsonObject;
  readonly externalOutputPayloadStoragePath: string | undefined;
  readonly logs: readonly TaskLog[];
  readonly extendLease: boolean;
}

/** One line of a task's log. */
export interface TaskLog {
  readonly log: string;
  /** Milliseconds since 1970; undefined: when it arrives. */
  readonly createdTime: number | undefined;
}

/** The states that a worker may report. */
export const RESULT_STATES = ["CANCELED", "COMPLETED", "FAILED_WITH_TERMINAL_ERROR", "FAILED", "IN_PROGRESS"] as const;

/**
 * Reads a result; throws a 500 where a field cannot be read, and 400 where an id is missing. `operation` is named in
 * the findings.
 */
export function readTaskResult(value: Json, operation: string): TaskResult {
  const fields = new Fields(value, "TaskResult");
  const status = fields.word("status", RESULT_STATES) ?? "IN_PROGRESS";
  const workflowInstanceId = fields.text("workflowInstanceId") ?? "";
  const taskId = fields.text("taskId") ?? "";
  const findings: ValidationFinding[] = [];
  if (workflowInstanceId === "") {
    findings.push({ path: `${operation}.arg0.workflowInstanceId`, message: "Workflow Id cannot be null or empty" });
  }
  if (taskId === "") findings.push({ path: `${operation}.arg0.taskId`, message: "Task ID cannot be null or empty" });
  if (findings.length > 0) throw invalid(findings);
  return {
    workflowInstanceId,
    taskId,
    workerId: fields.text("workerId"),
    status,
    reasonForIncompletion: fields.text("reasonForIncompletion"),
    callbackAfterSeconds: fields.int("callbackAfterSeconds", 0),
    outputData: fields.object("outputData"),
    externalOutputPayloadStoragePath: fields.text("externalOutputPayloadStoragePath"),
    logs: fields.list("logs").map(readTaskLog),
    extendLease: fields.flag("extendLease", false),
  };
}

function readTaskLog(value: Json): TaskLog {
  const fields = new Fields(value, "TaskExecLog");
  return { log: fields.text("log") ?? "", createdTime: fields.optionalInt("createdTime") };
}
