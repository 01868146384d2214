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
import type { Failure } from "../failure.ts";
import type { TaskDescription } from "../tasks/description.ts";
import { VERSION } from "../version.ts";
import { LOCAL_NAME, LOCAL_REF, localLease, localSource, localStore, localWorkspace } from "./local-ports.ts";

/** Between the body's AbortSignal and the end of its process, as on a host (rule A4). */
const CANCEL_GRACE_MS = 5000;
const REASON_MAX_LENGTH = 500;
/** Worker id of a local run. */
export const LOCAL_WORKER_ID = `${LOCAL_NAME}-0001`;

/** What a local run has to know about its task. */
export type LocalTask = Pick<TaskDescription, "name" | "workspace" | "timeoutSeconds">;

/** What every local run is driven with, whatever runs the body. */
export interface LocalDrive {
  readonly task: LocalTask;
  /** As they would stand in the task's input. */
  readonly params: unknown;
  /** The workspace, an absolute path; the body works in place. Needed where the task has a workspace, ignored else. */
  readonly folder?: string;
  readonly clock: Clock;
  /** Ends the body: its AbortSignal fires, and after 5 s its process is killed, where it has one. */
  readonly signal?: AbortSignal;
  /** Bytes of the serialized result. Default 3,000,000 (rule I3). */
  readonly outputLimitBytes?: number;
}

/** How a local run ended, as a host would have reported it (rules R3, R7). */
export type LocalRun =
  | { readonly status: "COMPLETED"; readonly result: unknown }
  | { readonly status: "FAILED" | "FAILED_WITH_TERMINAL_ERROR"; readonly failure: Failure };

/** Performs the order of a read-only attempt on a local folder. */
export async function driveLocally(options: LocalDrive, executor: Executor): Promise<LocalRun> {
  const facts = factsOf(options);
  const ports = portsOf(options, facts.polled, bodyOf(executor, options.task));
  const subscribe = stopWith(options.signal);
  const done = await driveAttempt({ facts, ports, cancelGraceMs: CANCEL_GRACE_MS, subscribe });
  return toRun(done.outcome);
}

function factsOf({ task, params, clock, outputLimitBytes }: LocalDrive): AttemptFacts {
  const nowMs = clock.nowMs();
  const workspace = { repository: LOCAL_NAME, branch: LOCAL_NAME, refType: "commit", ref: LOCAL_REF };
  const polled: PolledTask = {
    workflowInstanceId: LOCAL_NAME,
    taskId: LOCAL_NAME,
    retryCount: 0,
    scheduledTime: 0,
    pollCount: 1,
    workerId: LOCAL_WORKER_ID,
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
    workerId: LOCAL_WORKER_ID,
    writer: `ts/${VERSION}`,
    bodyTimeoutMs: task.timeoutSeconds * 1000,
    hardFence: "off",
    mergeTimeoutMs: 1,
    reportTimeoutMs: 1,
    outputLimitBytes: outputLimitBytes ?? DEFAULT_OUTPUT_LIMIT_BYTES,
    reasonMaxLength: REASON_MAX_LENGTH,
  };
}

function portsOf({ task, folder, clock }: LocalDrive, polled: PolledTask, executor: Executor): AttemptPorts {
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
function bodyOf(executor: Executor, { workspace }: LocalTask): Executor {
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

/** A failure with the status that a host would report. */
export function failed(failure: Failure): LocalRun {
  return { status: STATUS_OF_CODE[failure.code], failure };
}
