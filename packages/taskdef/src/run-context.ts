import type { z } from "zod";
import type { WorkspaceSpec } from "./workspace-spec.ts";

/** The folder that a body works on: the projection of the input ref, complete before the body starts (rule T2). */
export interface Workspace {
  /** Absolute path of the local folder. What stands in it when the body returns is what is published. */
  readonly path: string;
  /** The full commit id that the folder was made from. */
  readonly ref: string;
  readonly repository: string;
  /** The target branch. */
  readonly branch: string;
  /** The prefix as the task declares it. */
  readonly prefix: string;
  /** Whether changes in the folder are discarded (rule R1). */
  readonly readOnly: boolean;
}

/** Values that a log line may carry beside its message. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The task's log. Lines carry the attempt's ids; no line can publish anything. */
export interface TaskLog {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Label names and values of a metric; keep the number of different values small. */
export type MetricLabels = Readonly<Record<string, string>>;

/** The task's own numbers. Names are snake_case with their unit (`decode_seconds`). */
export interface TaskMetrics {
  /** Adds `increment` (default 1, never negative) to a counter. */
  counter(name: string, increment?: number, labels?: MetricLabels): void;
  /** Sets a gauge. */
  gauge(name: string, value: number, labels?: MetricLabels): void;
  /** Records one observation of a histogram. */
  histogram(name: string, value: number, labels?: MetricLabels): void;
}

/** How far the body is. All parts may be left out. */
export interface ProgressUpdate {
  /** 0 to 100. */
  readonly percent?: number;
  /** Things done, of `total`. */
  readonly done?: number;
  readonly total?: number;
  readonly message?: string;
}

/** Tells people how far the body is; a text is a message only. It keeps no lease: the host does that. */
export type TaskProgress = (update: string | ProgressUpdate) => void;

/** Which attempt this is: one Conductor execution of the task. */
export interface AttemptInfo {
  readonly workflowInstanceId: string;
  readonly taskId: string;
  /** 0 for the first attempt. */
  readonly retryCount: number;
  readonly taskDefName: string;
  readonly referenceTaskName: string;
  /** 0 outside loops. */
  readonly iteration: number;
  /** Prefix and slot of the executing worker. */
  readonly workerId: string;
  /** The input commit, where the task has a workspace. */
  readonly inputRef?: string;
}

/** What a body without a workspace is given. `params` is the contract, the rest are services. */
export interface TaskContext<Params> {
  /** The validated params, defaults filled in (rule I3). */
  readonly params: Params;
  /** Fires when the attempt is no longer current, timed out, or the host must stop (rule A4). */
  readonly signal: AbortSignal;
  readonly log: TaskLog;
  readonly metrics: TaskMetrics;
  readonly progress: TaskProgress;
  readonly attempt: AttemptInfo;
}

/** What a body with a workspace is given. */
export interface WorkspaceTaskContext<Params> extends TaskContext<Params> {
  readonly workspace: Workspace;
}

/** The argument of `run`: `workspace` is there only where the task declares one. */
export type RunContext<P extends z.ZodObject, W extends WorkspaceSpec | undefined> = [W] extends [WorkspaceSpec]
  ? WorkspaceTaskContext<z.output<P>>
  : TaskContext<z.output<P>>;

/** The argument of `run` for who runs tasks without knowing their types: an executor. */
export interface AnyRunContext extends TaskContext<Record<string, unknown>> {
  readonly workspace?: Workspace;
}
