import { logicalTaskKey } from "@perago/fence";
import type { SyncWorker } from "@perago/lakefs-sync";
import type { ExecutorPool } from "../executor/pool.ts";
import type { TaskDescription } from "../tasks/description.ts";
import type { Counters } from "../telemetry/counters.ts";
import type { Log } from "../telemetry/log.ts";
import { createAttemptWorkspace, type AttemptSite } from "../workspace/attempt-workspace.ts";
import { driveAttempt, type AttemptPorts } from "./driver.ts";
import { releasingEarly } from "./early-release.ts";
import { lazyExecutor } from "./lazy-executor.ts";
import { notingStaged, type StagedNote } from "./staged-note.ts";
import type { AttemptFacts, HardFenceMode } from "./machine/facts.ts";
import type { Done, Signal } from "./machine/state.ts";
import type { AttemptSource, Lease, PolledTask } from "./ports/attempt-source.ts";
import type { Clock, Ids } from "./ports/clock.ts";
import type { Observer } from "./ports/observer.ts";
import type { TargetStore } from "./ports/target-store.ts";

/** What one polled task needs to be run as an attempt. */
export interface AttemptRequest {
  readonly task: TaskDescription;
  readonly polled: PolledTask;
  /** Prefix and four-digit slot: names executor, log and folder, and is `perago.worker_id`. */
  readonly workerId: string;
  readonly lease: Lease;
  readonly subscribe: (listener: (signal: Signal) => void) => () => void;
  /** Told when the slot can take another task already, while this attempt reads its result back (rule R6). */
  readonly onSlotFree?: () => void;
}

/** Who makes a folder. */
export interface Execution {
  readonly workerId: string;
  readonly executionId: string;
  readonly taskId: string;
}

/** Whose ports these are. */
export interface PortsOwner extends Execution {
  readonly polled: PolledTask;
}

/**
 * Puts something between an attempt and its ports. It is for fault tests on real servers, which strike at a step: no
 * setting turns it on.
 */
export type InterposePorts = (ports: AttemptPorts, owner: PortsOwner) => AttemptPorts;

/** What all attempts of one host share. `store` and `sync` are absent where no task has a workspace. */
export interface AttemptRunnerParts {
  readonly executors: ExecutorPool;
  readonly source: AttemptSource;
  readonly store?: TargetStore;
  readonly sync?: SyncWorker;
  readonly site: (execution: Execution) => AttemptSite;
  /** Ids of the executions that run now: what the local sweep must leave alone (rule X3). */
  readonly held: Set<string>;
  readonly clock: Clock;
  readonly ids: Ids;
  /** The log of a slot. */
  readonly log: (workerId: string) => Log;
  readonly counters: Counters;
  /** Version of this package, for `perago.writer` (rule C1). */
  readonly version: string;
  readonly outputLimitBytes: number;
  readonly reasonMaxLength: number;
  /** Rule I7; absent: all. */
  readonly allowedTargets?: readonly string[] | undefined;
  /** Rule H2. */
  readonly hardFence: HardFenceMode;
  readonly cancelGraceMs: number;
  /** Default: nothing stands between. */
  readonly interpose?: InterposePorts;
}

/** Rule C4: without a publish budget. */
const defaultMergeTimeoutSeconds = 60;
/** Rule R4: without a publish budget. */
const defaultReportTimeoutSeconds = 15;

/** Makes the function that runs one polled task to its end: ports, facts and log put together. It never throws. */
export function createAttemptRunner(parts: AttemptRunnerParts): (request: AttemptRequest) => Promise<Done> {
  const told = new Set<string>();
  return async (request) => {
    const { task, polled, workerId } = request;
    const executionId = parts.ids.executionId();
    const { workflowInstanceId, taskId, retryCount } = polled;
    const log = parts.log(workerId).child({ task: task.name, workflowInstanceId, taskId, retryCount, executionId });
    const observer = observerOver(log, parts.counters, told);
    const own = portsFor({ parts, request, executionId, observer });
    const whole = parts.interpose?.(own, { workerId, executionId, taskId, polled }) ?? own;
    const { onSlotFree } = request;
    const ports = task.workspace !== undefined || onSlotFree === undefined ? whole : releasingEarly(whole, onSlotFree);
    log.info("attempt started");
    const beginMs = parts.clock.nowMs();
    const facts = attemptFacts(parts, request, executionId);
    parts.held.add(executionId);
    try {
      const { cancelGraceMs } = parts;
      const { ports: noting, staged } = notingStaged(ports);
      const done = await driveAttempt({ facts, ports: noting, cancelGraceMs, subscribe: request.subscribe });
      const fence = done.owned.merge?.fence;
      if (fence !== undefined) parts.counters.increment("merge_sent", { fence });
      logEnd(log, done, parts.clock.nowMs() - beginMs, staged());
      return done;
    } finally {
      parts.held.delete(executionId);
    }
  };
}

interface PortsOf {
  readonly parts: AttemptRunnerParts;
  readonly request: AttemptRequest;
  readonly executionId: string;
  readonly observer: Observer;
}

function portsFor({ parts, request, executionId, observer }: PortsOf): AttemptPorts {
  const { task, polled, workerId, lease } = request;
  const { store, sync, source, clock } = parts;
  const common = { source, lease, clock, observer };
  const executor = lazyExecutor(() => parts.executors.acquire(task, { workerId }));
  if (store === undefined || sync === undefined || task.workspace === undefined) return { ...common, executor };
  const site = parts.site({ workerId, executionId, taskId: polled.taskId });
  const { pre, post } = task.workspace;
  return { ...common, executor, store, workspace: createAttemptWorkspace({ sync, site, pre, post }) };
}

function attemptFacts(
  parts: AttemptRunnerParts,
  { task, polled, workerId }: AttemptRequest,
  executionId: string,
): AttemptFacts {
  const budget = task.publishBudget;
  const { workspace } = task;
  return {
    polled,
    ...(workspace === undefined
      ? {}
      : {
          workspace: {
            prefix: workspace.prefix,
            readOnly: workspace.readOnly,
            hasPostGuardrails: workspace.post.length > 0,
          },
        }),
    ...(parts.allowedTargets === undefined ? {} : { allowedTargets: parts.allowedTargets }),
    logicalTaskKey: logicalTaskKey(polled),
    executionId,
    workerId,
    writer: `ts/${parts.version}`,
    bodyTimeoutMs: task.timeoutSeconds * 1000,
    mergeTimeoutMs: (budget?.lakefsMergeTimeoutSeconds ?? defaultMergeTimeoutSeconds) * 1000,
    reportTimeoutMs: (budget?.conductorCompletionTimeoutSeconds ?? defaultReportTimeoutSeconds) * 1000,
    outputLimitBytes: parts.outputLimitBytes,
    reasonMaxLength: parts.reasonMaxLength,
    hardFence: parts.hardFence,
  };
}

/** More different targets than that are told of again. */
const maxToldCount = 1000;

/** `told` holds what this host has said already: which targets have the soft fence is said once (rule H2). */
function observerOver(log: Log, counters: Counters, told: Set<string>): Observer {
  return {
    note({ name, message }) {
      counters.increment(name);
      if (name === "soft_fence") {
        if (told.has(message)) return;
        if (told.size >= maxToldCount) told.clear();
        told.add(message);
        log.warn(message, { event: name });
        return;
      }
      log.error(message, { event: name });
    },
    phase: (name, durationMs, refusedWith) =>
      log.debug("phase", { phase: name, durationMs, ...(refusedWith === undefined ? {} : { refusedWith }) }),
    unforeseen: (phase, error) => log.error("a port failed in a way that was not foreseen", { phase, error }),
  };
}

function logEnd(log: Log, done: Done, durationMs: number, staged: StagedNote | undefined): void {
  const { outcome, reported, owned } = done;
  // Which fence held: rule H2 asks for it per attempt, and only one that sent a merge has one.
  const fields = { reported, durationMs, ...(owned.merge === undefined ? {} : { fence: owned.merge.fence }) };
  if (outcome.kind === "completed")
    return log.info("attempt completed", { ...fields, by: outcome.by, ref: outcome.ref });
  if (outcome.kind === "silent") return log.warn(outcome.reason, fields);
  const { code, message, hint } = outcome.failure;
  log.warn("attempt failed", { ...fields, code, reason: message, hint, ...(staged === undefined ? {} : { staged }) });
}
