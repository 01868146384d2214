import { randomBytes } from "node:crypto";
import { logicalTaskKey } from "@perago/fence";
import { DEFAULT_OUTPUT_LIMIT_BYTES } from "@perago/taskdef";
import { driveAttempt, type AttemptPorts } from "../attempt/driver.ts";
import type { AttemptFacts } from "../attempt/machine/facts.ts";
import { STATUS_OF_CODE } from "../attempt/machine/result-table.ts";
import type { Outcome, Signal } from "../attempt/machine/state.ts";
import type { PolledTask } from "../attempt/ports/attempt-source.ts";
import type { Clock } from "../attempt/ports/clock.ts";
import type { Executor } from "../attempt/ports/executor.ts";
import { createExecutorPool } from "../executor/pool.ts";
import { AttemptError, type Failure } from "../failure.ts";
import type { TaskDescription } from "../tasks/description.ts";
import type { Fields, Log, LogLevel } from "../telemetry/log.ts";
import { VERSION } from "../version.ts";
import { LOCAL_NAME, LOCAL_REF, localLease, localSource, localStore, localWorkspace } from "./local-ports.ts";

/** Between the body's AbortSignal and the end of its process, as on a host (rule A4). */
const CANCEL_GRACE_MS = 5000;
const REASON_MAX_LENGTH = 500;

/** What a body logs or prints. */
export interface LocalLogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: Fields;
}

/** What {@link runLocally} needs. */
export interface LocalRunOptions {
  readonly task: TaskDescription;
  /** As they would stand in the task's input. */
  readonly params: unknown;
  /** The workspace, an absolute path; the body works in place. Needed where the task has a workspace, ignored else. */
  readonly folder?: string;
  readonly clock: Clock;
  /** The caller's environment; the body gets it scrubbed. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Told of every line. Default: nobody. */
  readonly onLog?: (line: LocalLogLine) => void;
  /** Ends the body: its AbortSignal fires, and after 5 s its process is killed. */
  readonly signal?: AbortSignal;
  /** Bytes of the serialized result. Default 3,000,000 (rule I3). */
  readonly outputLimitBytes?: number;
}

/** How a local run ended, as a host would have reported it (rules R3, R7). */
export type LocalRun =
  | { readonly status: "COMPLETED"; readonly result: unknown }
  | { readonly status: "FAILED" | "FAILED_WITH_TERMINAL_ERROR"; readonly failure: Failure };

/**
 * Runs one body in an executor process on a local folder, without any server: params parsed, pre guardrails, body, post
 * guardrails, result checked, in the order and by the code of a read-only attempt. Nothing is published and nothing is
 * removed. It never throws over the task.
 */
export async function runLocally(options: LocalRunOptions): Promise<LocalRun> {
  const { task, clock } = options;
  if (task.workspace !== undefined && options.folder === undefined) throw new Error(`${task.name} needs a folder`);
  const workerId = `${LOCAL_NAME}-0001`;
  const executors = createExecutorPool({
    clock,
    environment: options.environment,
    hostMark: randomBytes(8).toString("hex"),
    bodyLog: () => lineLog(options.onLog ?? (() => {})),
    outputLimitBytes: options.outputLimitBytes ?? DEFAULT_OUTPUT_LIMIT_BYTES,
  });
  try {
    const facts = factsOf(options, workerId);
    const executor = await startExecutor(executors.acquire(task, { workerId }));
    if ("failure" in executor) return failed(executor.failure);
    const ports = portsOf(options, facts.polled, bodyOf(executor.executor, task));
    const done = await driveAttempt({
      facts,
      ports,
      cancelGraceMs: CANCEL_GRACE_MS,
      subscribe: stopWith(options.signal),
    });
    return toRun(done.outcome);
  } finally {
    await executors.close();
  }
}

async function startExecutor(
  starting: Promise<Executor>,
): Promise<{ readonly executor: Executor } | { readonly failure: Failure }> {
  try {
    return { executor: await starting };
  } catch (error) {
    if (!(error instanceof AttemptError)) throw error;
    return { failure: { code: error.code, message: error.message, hint: error.hint } };
  }
}

function factsOf({ task, params, clock, outputLimitBytes }: LocalRunOptions, workerId: string): AttemptFacts {
  const nowMs = clock.nowMs();
  const workspace = { repository: LOCAL_NAME, branch: LOCAL_NAME, refType: "commit", ref: LOCAL_REF };
  const polled: PolledTask = {
    workflowInstanceId: LOCAL_NAME,
    taskId: LOCAL_NAME,
    retryCount: 0,
    scheduledTime: 0,
    pollCount: 1,
    workerId,
    taskDefName: task.name,
    referenceTaskName: LOCAL_NAME,
    iteration: 0,
    inputData: task.workspace === undefined ? { params } : { workspace, params },
    responseTimeoutSeconds: 0,
    pollSentAtMs: nowMs,
    receivedAtMs: nowMs,
  };
  return {
    polled,
    // Read-only is the order without fences, staging and merge; what the body is told is the task's own word.
    ...(task.workspace === undefined
      ? {}
      : {
          workspace: {
            prefix: task.workspace.prefix,
            readOnly: true,
            hasPostGuardrails: !task.workspace.readOnly || task.workspace.post.length > 0,
          },
        }),
    logicalTaskKey: logicalTaskKey(polled),
    executionId: randomBytes(6).toString("hex"),
    workerId,
    writer: `ts/${VERSION}`,
    bodyTimeoutMs: task.timeoutSeconds * 1000,
    mergeTimeoutMs: 1,
    reportTimeoutMs: 1,
    outputLimitBytes: outputLimitBytes ?? DEFAULT_OUTPUT_LIMIT_BYTES,
    reasonMaxLength: REASON_MAX_LENGTH,
  };
}

function portsOf({ task, folder, clock }: LocalRunOptions, polled: PolledTask, executor: Executor): AttemptPorts {
  const common = {
    source: localSource(polled),
    executor,
    lease: localLease,
    clock,
    observer: {
      note: () => {},
      phase: () => {},
      unforeseen: (phase: string, error: unknown) => {
        throw new Error(`${phase} of a local run failed`, { cause: error });
      },
    },
  };
  if (task.workspace === undefined || folder === undefined) return common;
  return { ...common, store: localStore(), workspace: localWorkspace(folder, task.workspace) };
}

/** The body hears whether its own task is read-only, not that this run is. */
function bodyOf(executor: Executor, { workspace }: TaskDescription): Executor {
  return {
    validate: (inputData) => executor.validate(inputData),
    run: (request) =>
      executor.run(
        request.workspace === undefined || workspace === undefined
          ? request
          : { ...request, workspace: { ...request.workspace, readOnly: workspace.readOnly } },
      ),
    cancel: (reason, graceMs) => executor.cancel(reason, graceMs),
    seal: () => executor.seal(),
    release: () => executor.release(),
  };
}

function stopWith(signal: AbortSignal | undefined): (listener: (told: Signal) => void) => () => void {
  return (listener) => {
    const tell = (): void => listener({ kind: "shutdown", reason: "the run was stopped" });
    if (signal?.aborted === true) tell();
    signal?.addEventListener("abort", tell, { once: true });
    return () => signal?.removeEventListener("abort", tell);
  };
}

function toRun(outcome: Outcome): LocalRun {
  if (outcome.kind === "silent") throw new Error(outcome.reason);
  if (outcome.kind === "failed") return failed(outcome.failure);
  const output: unknown = JSON.parse(outcome.outputJson);
  if (typeof output !== "object" || output === null || !("result" in output)) throw new Error("an output has a result");
  return { status: "COMPLETED", result: output.result };
}

function failed(failure: Failure): LocalRun {
  return { status: STATUS_OF_CODE[failure.code], failure };
}

function lineLog(tell: (line: LocalLogLine) => void, bound: Fields = {}): Log {
  const at =
    (level: LogLevel) =>
    (message: string, fields: Fields = {}): void =>
      tell({ level, message, fields: { ...bound, ...fields } });
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => lineLog(tell, { ...bound, ...fields }),
  };
}
