import type { Clock } from "../attempt/ports/clock.ts";
import { resolveDomain } from "../conductor/domain.ts";
import type { ConductorHttp } from "../conductor/http.ts";
import type { Settings } from "../config/settings.ts";
import type { TaskDescription } from "../tasks/description.ts";
import type { Log } from "../telemetry/log.ts";
import { createDiskCheck, type DiskSpace } from "../workspace/disk-space.ts";
import { runSweeps, type SweepReport } from "../workspace/gc.ts";
import { takeHostLock } from "../workspace/host-lock.ts";
import { planSlots, type Slot } from "./slots.ts";
import { startTaskHost, type RunAttempt, type TaskHost } from "./task-host.ts";
import { createTroubles } from "./troubles.ts";

/** Between two looks of the watchdog. */
const WATCHDOG_INTERVAL_MS = 15_000;
/**
 * After a forced end attempts get this long where no task has a publish budget; else the longest
 * `workerShutdownGraceSeconds`.
 */
export const FORCE_GRACE_MS = 30_000;

/** What a host is started with. */
export interface HostOptions {
  readonly tasks: readonly TaskDescription[];
  readonly settings: Settings;
  readonly conductor: ConductorHttp;
  readonly runAttempt: RunAttempt;
  /** Resolves when the slot can take a task. Default: at once. */
  readonly ready?: (task: TaskDescription, slot: Slot, signal: AbortSignal) => Promise<void>;
  /** Whether an execution of this host holds the folder of this execution id (rule X3). */
  readonly isHeld: (executionId: string) => boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** Process id and start (wall clock), for the lock's owner file. */
  readonly process: { readonly pid: number; readonly startedAtMs: number };
  /** In [0, 1). Default `Math.random`. */
  readonly random?: () => number;
  /** Default: the disk itself. */
  readonly readDiskSpace?: (folder: string) => Promise<DiskSpace>;
}

/** How a host ended. */
export interface HostEnd {
  /** Attempts that were still running when a forced end ran out of time; 0 otherwise. */
  readonly leftRunningCount: number;
}

/** A running host. Signals and exit codes are the caller's. */
export interface Host {
  /** Stops polling, finishes what runs and what the open poll brings, then ends (fault H1). Again is the same. */
  drain(): void;
  /** Ends the bodies: attempts are told to shut down, and get a grace to report and clean up. Drains too. */
  force(): void;
  /** Attempts that run now. */
  runningCount(): number;
  /** Resolves when the host has ended after `drain` or `force`. */
  readonly ended: Promise<HostEnd>;
}

/**
 * Starts polling for the tasks. Call `preflight` before. Takes the lock of the workspace root and sweeps it.
 * Throws `SlotPlanError`, and `HostLockError` where another host has the root.
 */
export function startHost(options: HostOptions): Host {
  const { tasks, settings, clock, log } = options;
  const { workerIdPrefix } = settings;
  const plans = planSlots({
    tasks,
    workerIdPrefix,
    slotsPerTask: settings.slotsPerTask,
    slotsByTask: settings.slotsByTask,
    executionMode: settings.executionMode,
  });
  const root = openRoot(options);
  const troubles = createTroubles(log, clock.nowMs);
  const hosts = plans.map((plan) => {
    const domain = resolveDomain({
      taskName: plan.task.name,
      flag: settings.domain,
      variables: settings.domainVariables,
    });
    return startTaskHost({
      plan,
      conductor: options.conductor,
      workerId: workerIdPrefix,
      ...(domain === undefined ? {} : { domain }),
      runAttempt: options.runAttempt,
      ...(options.ready === undefined ? {} : { ready: options.ready }),
      holdReason: plan.task.workspace === undefined ? async () => undefined : root.holdReason,
      clock,
      log,
      troubles,
      random: options.random ?? Math.random,
    });
  });
  const watching = new AbortController();
  void watch(hosts, clock, log, watching.signal);
  log.info("the host polls", {
    workerId: workerIdPrefix,
    tasks: plans.map(({ task, slots }) => `${task.name}=${slots.length}`),
  });

  const end = createEnd({
    hosts,
    clock,
    log,
    forceAfterMs: settings.shutdownForceKillAfterMs,
    graceMs: graceMs(tasks),
  });
  const ended = end.ended.then(async (how) => {
    watching.abort();
    await root.close();
    log.info("the host has ended", { leftRunningCount: how.leftRunningCount });
    return how;
  });
  return {
    drain: end.drain,
    force: end.force,
    runningCount: () => hosts.reduce((sum, host) => sum + host.runningCount(), 0),
    ended,
  };
}

interface Root {
  readonly holdReason: () => Promise<string | undefined>;
  close(): Promise<void>;
}

/**
 * The workspace root's lock, sweep and disk check. Taken where no task has a workspace too: the root also names the
 * host whose left-over executors a new one ends (case S06), and two hosts must not share that name.
 */
function openRoot(options: HostOptions): Root {
  const { settings, clock, log, readDiskSpace } = options;
  const root = settings.workspaceRoot;
  const lock = takeHostLock(root, { ...options.process, workerIdPrefix: settings.workerIdPrefix });
  const sweeping = new AbortController();
  const onSweep = (report: SweepReport): void => {
    for (const { error } of report.failures) log.warn("an abandoned workspace folder cannot be removed", { error });
    if (report.removedCount > 0) log.info("abandoned workspace folders were removed", { count: report.removedCount });
  };
  const sweep = { root, ttlMs: settings.workspaceGcTtlMs, intervalMs: settings.workspaceGcIntervalMs };
  const swept = runSweeps({ ...sweep, isHeld: options.isHeld, clock, onSweep }, sweeping.signal);
  return {
    holdReason: createDiskCheck({
      root,
      minFreeBytes: settings.workspaceMinFreeBytes,
      ...(readDiskSpace === undefined ? {} : { read: readDiskSpace }),
    }),
    async close() {
      sweeping.abort();
      // No sweep goes on in a root that another host may take.
      await swept;
      lock.release();
    },
  };
}

function createEnd(parts: {
  readonly hosts: readonly TaskHost[];
  readonly clock: Clock;
  readonly log: Log;
  readonly forceAfterMs: number | undefined;
  readonly graceMs: number;
}): Pick<Host, "drain" | "force" | "ended"> {
  const { hosts, clock, log } = parts;
  const { promise: ended, resolve } = Promise.withResolvers<HostEnd>();
  const over = new AbortController();
  let isDraining = false;
  let isForced = false;

  function finish(leftRunningCount: number): void {
    over.abort();
    resolve({ leftRunningCount });
  }

  function drain(): void {
    if (isDraining) return;
    isDraining = true;
    log.info("the host drains: it takes no more tasks and finishes what runs");
    void Promise.all(hosts.map((host) => host.drain())).then(() => finish(0));
    if (parts.forceAfterMs === undefined) return;
    void clock.wait(parts.forceAfterMs, over.signal).then(() => {
      if (!over.signal.aborted) force("the time for the shutdown is over");
    });
  }

  function force(reason = "the host was told to end at once"): void {
    drain();
    if (isForced || over.signal.aborted) return;
    isForced = true;
    log.warn("the host ends its attempts", { reason });
    for (const host of hosts) host.tellAll({ kind: "shutdown", reason });
    void clock.wait(parts.graceMs, over.signal).then(() => {
      if (!over.signal.aborted) finish(hosts.reduce((sum, host) => sum + host.runningCount(), 0));
    });
  }

  return { drain, force: () => force(), ended };
}

function graceMs(tasks: readonly TaskDescription[]): number {
  const graces = tasks.flatMap((task) =>
    task.publishBudget === undefined ? [] : [task.publishBudget.workerShutdownGraceSeconds],
  );
  return graces.length === 0 ? FORCE_GRACE_MS : Math.max(...graces) * 1000;
}

/** Fault E7, case A07: a host that gets no answer any more says so, once, and again when it does. */
async function watch(hosts: readonly TaskHost[], clock: Clock, log: Log, signal: AbortSignal): Promise<void> {
  const silent = new Set<string>();
  while (!signal.aborted) {
    await clock.wait(WATCHDOG_INTERVAL_MS, signal);
    for (const host of hosts) {
      const health = host.health();
      if (health.state === "silent" && !silent.has(host.taskName)) {
        silent.add(host.taskName);
        log.error("no poll has been answered for a long time", {
          task: host.taskName,
          sinceMs: Math.round(health.sinceMs),
        });
      }
      if (health.state !== "silent") silent.delete(host.taskName);
    }
  }
}
