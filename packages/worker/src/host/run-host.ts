import { createHash, randomBytes } from "node:crypto";
import {
  findProxyVariable,
  LakefsClient,
  SyncWorker,
  type LakefsConnection,
  type SyncWorkerOptions,
} from "@perago/lakefs-sync";
import { createAttemptRunner, type InterposePorts } from "../attempt/runner.ts";
import type { Done } from "../attempt/machine/state.ts";
import { createAttemptSource } from "../conductor/attempt-source.ts";
import { openConductor, type ConductorClient } from "../conductor/client.ts";
import { secretValues, type Settings } from "../config/settings.ts";
import { createExecutorPool, type ExecutorPool } from "../executor/pool.ts";
import { endStrays } from "../executor/processes.ts";
import { createTargetStore } from "../lakefs/target-store.ts";
import type { TaskDescription } from "../tasks/description.ts";
import { createCounters, type Counters } from "../telemetry/counters.ts";
import { watchEventLoop, type EventLoopDelay } from "../telemetry/event-loop.ts";
import { hidingPaths, rootNamesHere } from "../telemetry/host-paths.ts";
import { createRedactor } from "../telemetry/redact.ts";
import { createHostLogs, type HostLogs, type HostLogsOptions } from "../telemetry/host-logs.ts";
import { createBranchStore } from "../sweep/branch-store.ts";
import { rememberingStore, runBranchSweeps } from "../sweep/host-sweeps.ts";
import { openSweepMemory, type SweepMemory } from "../sweep/sweep-memory.ts";
import { createLocalSite } from "../workspace/attempt-site.ts";
import { systemClock } from "../system-clock.ts";
import { VERSION } from "../version.ts";
import { startHost, type HostEnd } from "./host.ts";
import { preflight } from "./preflight.ts";
import type { RunAttempt } from "./task-host.ts";

/** Time between a body's AbortSignal and the end of its executor (rule A4). */
const CANCEL_GRACE_MS = 5000;

/** Longest look at lakeFS before the host starts. */
const START_CHECK_TIMEOUT_MS = 10_000;

/** Rule I7. */
const ALL_TARGETS_ALLOWED =
  "tasks may name any target that the lakeFS key can reach; PERAGO_ALLOWED_TARGETS narrows it (rule I7)";

/** What a whole host is made of. */
export interface RunHostOptions {
  readonly tasks: readonly TaskDescription[];
  readonly settings: Settings;
  /** The process' environment; executors get it scrubbed. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What is shown of the logs beside the files. Default: the lines of host and attempts, on stderr. */
  readonly show?: HostShow;
  /** Only fault tests set it. Default: attempts talk to their ports. */
  readonly interpose?: InterposePorts;
}

/** What people see of a host's logs. */
export interface HostShow {
  /** What bodies log and print, too. Default false. */
  readonly bodies?: boolean;
  /** Gets each line as JSON text in place of stderr; must not throw. */
  readonly onLine?: (json: string) => void;
}

/** A host that polls. */
export interface RunningHost {
  /** Stops polling, finishes what runs, ends (fault H1). */
  drain(): void;
  /** Ends the bodies, too. */
  force(): void;
  readonly counters: Counters;
  /** How late the host's event loop ran in the last full window of 5 s; undefined before the first (bench B7). */
  readonly eventLoopDelay: () => EventLoopDelay | undefined;
  /** Resolves when everything is closed. */
  readonly ended: Promise<HostEnd>;
}

/**
 * Puts a whole host together and starts it: servers looked at first, then lock, executors and polls.
 * Throws `ConductorError` or `LakefsError` where a server is away or refuses, `PreflightError` where a TaskDef is not
 * registered, `HostLockError` where another host has the workspace root, `SlotPlanError` for slots that do not fit.
 */
export async function runHost(options: RunHostOptions): Promise<RunningHost> {
  const { tasks, settings, environment, interpose } = options;
  const counters = createCounters();
  const secrets = secretValues(settings);
  const logs = createHostLogs({
    root: settings.logRoot,
    maxSizeBytes: settings.logFileMaxSizeBytes,
    retentionMs: settings.logRetentionMs,
    level: settings.logLevel,
    secrets,
    counters,
    ...shownLogs(options.show ?? {}),
  });
  const closing: (() => Promise<unknown>)[] = [() => logs.close()];
  const closeAll = async (): Promise<void> => {
    for (const close of closing.toReversed()) await close();
  };
  try {
    const conductor = await connect(settings);
    closing.push(() => conductor.close());
    for (const { message, hint, code } of await preflight(conductor, tasks)) logs.host.warn(message, { code, hint });
    const lakefs = await openLakefs(settings, tasks, environment);
    if (lakefs !== undefined && settings.allowedTargets === undefined) logs.host.info(ALL_TARGETS_ALLOWED);
    if (lakefs !== undefined)
      closing.push(
        () => lakefs.sync.close(),
        () => lakefs.client.close(),
      );
    const hostMark = createHash("sha256").update(settings.workspaceRoot).digest("hex").slice(0, 16);
    const executors = createExecutorPool({
      clock: systemClock,
      environment,
      secrets,
      hostMark,
      log: logs.host,
      bodyLog: (workerId) => logs.body(workerId),
      counters,
      outputLimitBytes: settings.outputMaxSizeBytes,
      mode: settings.executionMode,
    });
    closing.push(() => executors.close());
    return start({ tasks, settings, conductor, lakefs, executors, logs, counters, hostMark, closeAll, interpose });
  } catch (error) {
    await closeAll();
    throw error;
  }
}

function shownLogs({ bodies = false, onLine }: HostShow): Pick<HostLogsOptions, "showBodies" | "stderr"> {
  if (onLine === undefined) return { showBodies: bodies };
  const write = (line: string): boolean => {
    onLine(line);
    return true;
  };
  return { showBodies: bodies, stderr: { write, flush: () => Promise.resolve() } };
}

interface Lakefs {
  readonly client: LakefsClient;
  readonly sync: SyncWorker;
  readonly memory: SweepMemory;
}

interface Parts {
  readonly tasks: readonly TaskDescription[];
  readonly settings: Settings;
  readonly conductor: ConductorClient;
  readonly lakefs: Lakefs | undefined;
  readonly executors: ExecutorPool;
  readonly logs: HostLogs;
  readonly counters: Counters;
  readonly hostMark: string;
  readonly closeAll: () => Promise<void>;
  readonly interpose: InterposePorts | undefined;
}

function start(parts: Parts): RunningHost {
  const { tasks, settings, conductor, executors, logs, counters } = parts;
  const held = new Set<string>();
  const startedAtMs = Date.now();
  let strays: Promise<unknown> | undefined;
  const host = startHost({
    tasks,
    settings,
    conductor,
    runAttempt: attemptRunner(parts, held),
    ready: async (task, slot, signal) => {
      // Under the lock, and before this host starts anything of its own (case S06).
      strays ??= endStrays(parts.hostMark, systemClock);
      await strays;
      await executors.warm(task, slot, signal);
    },
    isHeld: (executionId) => held.has(executionId),
    clock: systemClock,
    log: logs.host,
    process: { pid: process.pid, startedAtMs },
  });
  // Begun under the lock of the workspace root, whose file the sweeps remember in.
  const stopSweeps = sweepBranchesOf(parts, held);
  const eventLoop = watchEventLoop((delay) => logs.host.debug("event loop", { ...delay }));
  const ended = host.ended.then(async (end) => {
    await stopSweeps();
    eventLoop.close();
    await parts.closeAll();
    return end;
  });
  return { drain: () => host.drain(), force: () => host.force(), counters, eventLoopDelay: eventLoop.last, ended };
}

/** Rule X3: answers how to end the sweeps. */
function sweepBranchesOf({ lakefs, settings, logs, counters }: Parts, held: ReadonlySet<string>): () => Promise<void> {
  if (lakefs === undefined) return () => Promise.resolve();
  const sweeping = new AbortController();
  const { signal } = sweeping;
  const swept = runBranchSweeps({
    store: createBranchStore(lakefs.client, signal),
    memory: lakefs.memory,
    ttlMs: settings.branchGcTtlMs,
    intervalMs: settings.branchGcIntervalMs,
    held,
    clock: systemClock,
    log: logs.host,
    counters,
    signal,
  });
  return () => {
    sweeping.abort();
    return swept;
  };
}

function attemptRunner(parts: Parts, held: Set<string>): RunAttempt {
  const { settings, logs, lakefs, interpose } = parts;
  const owner = { pid: process.pid, startedAtMs: Date.now(), nowMs: () => Date.now() };
  const run = createAttemptRunner({
    executors: parts.executors,
    source: createAttemptSource(parts.conductor, {
      redactor: hidingPaths(createRedactor(secretValues(settings)), rootNamesHere()),
    }),
    ...(lakefs === undefined
      ? {}
      : { store: rememberingStore(createTargetStore(lakefs.client), lakefs.memory, logs.host), sync: lakefs.sync }),
    site: (execution) => createLocalSite(settings.workspaceRoot, execution, owner),
    held,
    clock: systemClock,
    ids: { executionId: () => randomBytes(6).toString("hex") },
    log: (workerId) => logs.worker(workerId),
    counters: parts.counters,
    version: VERSION,
    outputLimitBytes: settings.outputMaxSizeBytes,
    reasonMaxLength: settings.failureReasonMaxLength,
    allowedTargets: settings.allowedTargets,
    hardFence: settings.hardFence,
    cancelGraceMs: CANCEL_GRACE_MS,
    ...(interpose === undefined ? {} : { interpose }),
  });
  return async ({ slot, ...request }) => ({ outcome: outcomeName(await run({ ...request, workerId: slot.workerId })) });
}

function outcomeName({ outcome }: Done): string {
  return outcome.kind === "failed" ? outcome.failure.code : outcome.kind;
}

function connect({ conductor }: Settings): Promise<ConductorClient> {
  if (conductor === undefined) throw new Error("a host without a Conductor address was started");
  const { serverUrl, auth } = conductor;
  const revealed =
    auth === undefined ? {} : { auth: { keyId: auth.keyId.reveal(), keySecret: auth.keySecret.reveal() } };
  return openConductor({ serverUrl, ...revealed }, () => systemClock.nowMs());
}

/** Only where a task has a workspace. Asks once, so that a wrong address or key is seen before any task is taken. */
async function openLakefs(
  settings: Settings,
  tasks: readonly TaskDescription[],
  environment: RunHostOptions["environment"],
): Promise<Lakefs | undefined> {
  if (tasks.every((task) => task.workspace === undefined)) return undefined;
  const { lakefs, workspaceRoot } = settings;
  if (lakefs === undefined) throw new Error("a host with workspace tasks was started without lakeFS settings");
  const proxyVariable = findProxyVariable(environment);
  const connection: LakefsConnection = {
    ...(proxyVariable === undefined ? {} : { proxyVariable }),
    endpoint: lakefs.endpointUrl,
    accessKeyId: lakefs.accessKeyId,
    secretAccessKey: lakefs.secretAccessKey.reveal(),
  };
  const client = new LakefsClient(connection);
  try {
    await client.getConfig({ timeoutMs: START_CHECK_TIMEOUT_MS });
  } catch (error) {
    await client.close();
    throw error;
  }
  const sync = new SyncWorker({ connection, ...cacheOf(settings) });
  sync.warm();
  return { client, sync, memory: openSweepMemory(workspaceRoot, lakefs.endpointUrl) };
}

/** The cache leaves the workspaces' disk twice what polling needs of it, so that it never stops a poll. */
function cacheOf(settings: Settings): Pick<SyncWorkerOptions, "cache"> {
  const { cacheRoot: root, cacheMaxSizeBytes: maxSizeBytes, workspaceMinFreeBytes } = settings;
  if (maxSizeBytes === 0) return {};
  return { cache: { root, maxSizeBytes, minFreeBytes: 2 * workspaceMinFreeBytes } };
}
