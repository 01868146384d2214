import type { Lease, PolledTask } from "../attempt/ports/attempt-source.ts";
import type { Clock } from "../attempt/ports/clock.ts";
import { createLease } from "../conductor/lease.ts";
import { createLeaseServer } from "../conductor/lease-server.ts";
import { leaseTimes } from "../conductor/lease-times.ts";
import type { ConductorHttp } from "../conductor/http.ts";
import { pollTasks, type PollAnswer } from "../conductor/poll.ts";
import { startPollLoop, type PollHealth } from "../conductor/poll-loop.ts";
import type { ParsedTask } from "../conductor/polled-task.ts";
import type { TaskDescription } from "../tasks/description.ts";
import type { Log } from "../telemetry/log.ts";
import { withEngineTimeouts } from "./engine-timeouts.ts";
import { createAttemptSignals, type AttemptListener, type AttemptSignal, type AttemptSignals } from "./signals.ts";
import { createSlotPool } from "./slot-pool.ts";
import type { Slot, TaskSlots } from "./slots.ts";
import type { Troubles } from "./troubles.ts";

/** What an attempt is run with. */
export interface AttemptRequest {
  /** With the timeouts that the engine handed out (case C06). */
  readonly task: TaskDescription;
  readonly polled: PolledTask;
  readonly slot: Slot;
  /** Running; the attempt stops it. The host stops what is left running. */
  readonly lease: Lease;
  readonly subscribe: (listener: AttemptListener) => () => void;
}

/** Runs one attempt to its end, report and clean-up included. Must not throw. */
export type RunAttempt = (request: AttemptRequest) => Promise<{ readonly outcome: string }>;

export interface TaskHostOptions {
  readonly plan: TaskSlots;
  readonly conductor: ConductorHttp;
  /** Conductor's worker id of the host. */
  readonly workerId: string;
  readonly domain?: string;
  readonly runAttempt: RunAttempt;
  /** Resolves when the slot can take a task; called before a slot is first used and after each attempt. Default: at once. */
  readonly ready?: (task: TaskDescription, slot: Slot, signal: AbortSignal) => Promise<void>;
  readonly holdReason: () => Promise<string | undefined>;
  readonly clock: Clock;
  readonly log: Log;
  readonly troubles: Troubles;
  readonly random: () => number;
}

/** One task of a host: its slots, its polls and its running attempts. */
export interface TaskHost {
  readonly taskName: string;
  runningCount(): number;
  health(): PollHealth;
  /** Stops polling and resolves when the last attempt, also one that the open poll brought, has ended (case R11). */
  drain(): Promise<void>;
  /** Tells every attempt, also those still to come. */
  tellAll(signal: AttemptSignal): void;
}

export function startTaskHost(options: TaskHostOptions): TaskHost {
  const { plan, clock, log, troubles } = options;
  const { task, slots } = plan;
  const pool = createSlotPool();
  const running = new Map<Promise<void>, AttemptSignals>();
  const warned = new Set<string>();
  const draining = new AbortController();
  let toAll: AttemptSignal | undefined;

  async function offer(slot: Slot): Promise<void> {
    try {
      await options.ready?.(task, slot, draining.signal);
    } catch (error) {
      log.error("a slot cannot take tasks", { task: task.name, worker: slot.workerId, error });
      if (!draining.signal.aborted) return;
    }
    // A slot that is not ready at the drain is given all the same: somebody may hold a task that the last poll brought.
    pool.give(slot);
  }

  async function attempt(parsed: ParsedTask, signals: AttemptSignals): Promise<void> {
    const adjusted = withEngineTimeouts(task, parsed.engineTimeouts);
    for (const warning of adjusted.warnings.filter((text) => !warned.has(text))) {
      warned.add(warning);
      log.warn(warning);
    }
    const { polled } = parsed;
    const interval = task.publishBudget?.heartbeatIntervalSeconds;
    const { responseTimeoutSeconds } = polled;
    const source = `the lease of task ${polled.taskId}`;
    const lease = createLease({
      held: polled,
      pollSentAtMs: polled.pollSentAtMs,
      times: leaseTimes({
        responseTimeoutSeconds,
        ...(interval === undefined ? {} : { heartbeatIntervalSeconds: interval }),
      }),
      server: createLeaseServer(options.conductor),
      clock,
      events: {
        onLost: (reason) => signals.tell({ kind: "attempt_lost", reason }),
        onTrouble: (error) => troubles.failed(source, error),
      },
    });
    // The lease runs while the task waits for a slot: an engine may bring more than was asked for.
    await lease.start();
    const slot = await pool.take();
    try {
      const { subscribe } = signals;
      const end = await options.runAttempt({ task: adjusted.task, polled, slot, lease, subscribe });
      log.debug("an attempt has ended", { task: task.name, taskId: polled.taskId, outcome: end.outcome });
    } catch (error) {
      log.error("an attempt threw, which none may", { task: task.name, taskId: polled.taskId, error });
    } finally {
      await lease.stop();
      troubles.worked(source);
      void offer(slot);
    }
  }

  function take(parsed: ParsedTask): void {
    const signals = createAttemptSignals();
    if (toAll !== undefined) signals.tell(toAll);
    const run: Promise<void> = attempt(parsed, signals).finally(() => running.delete(run));
    running.set(run, signals);
  }

  function onAnswer(answer: PollAnswer): void {
    troubles.worked(task.name);
    for (const parsed of answer.tasks) take(parsed);
    for (const lost of answer.unreadable) {
      log.error("a task cannot be read and waits out its response timeout", { task: task.name, ...lost });
    }
  }

  for (const slot of slots) void offer(slot);
  const loop = startPollLoop({
    clock,
    freeSlots: () => pool.freeCount(),
    slotFree: (signal) => pool.whenFree(signal),
    holdReason: options.holdReason,
    poll: async (ask) =>
      await pollTasks(options.conductor, clock, {
        ...ask,
        taskName: task.name,
        workerId: options.workerId,
        ...(options.domain === undefined ? {} : { domain: options.domain }),
      }),
    onAnswer,
    onFailure: (error) => troubles.failed(task.name, error),
    onHold: (reason) => troubles.failed(task.name, new Error(`no task is polled: ${reason}`)),
    random: options.random,
  });

  return {
    taskName: task.name,
    runningCount: () => running.size,
    health: () => loop.health(),
    async drain() {
      await loop.stop();
      draining.abort();
      await Promise.all(running.keys());
    },
    tellAll(signal) {
      toAll = signal;
      for (const signals of running.values()) signals.tell(signal);
    },
  };
}
