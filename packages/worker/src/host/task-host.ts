import type { Lease, PolledTask } from "../attempt/ports/attempt-source.ts";
import type { Clock } from "../attempt/ports/clock.ts";
import { createLease, type StartedLease } from "../conductor/lease.ts";
import { createLeaseServer } from "../conductor/lease-server.ts";
import { leaseTimes } from "../conductor/lease-times.ts";
import type { ConductorHttp } from "../conductor/http.ts";
import { pollTasks, type PollAnswer } from "../conductor/poll.ts";
import { startPollLoop, type PollHealth, type PollLoop } from "../conductor/poll-loop.ts";
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
  /** The slot can take another task already, though this attempt has not ended; only the first call counts. */
  readonly onSlotFree: () => void;
}

/** Runs one attempt to its end, report and clean-up included. Must not throw. */
export type RunAttempt = (request: AttemptRequest) => Promise<{ readonly outcome: string }>;

/** What one task of a host runs on. */
export interface TaskHostOptions {
  readonly plan: TaskSlots;
  readonly conductor: ConductorHttp;
  /** Conductor's worker id of the host. */
  readonly workerId: string;
  readonly domain?: string;
  readonly runAttempt: RunAttempt;
  /**
   * Resolves when the slot can take a task; called before a slot is first used and after each attempt. Default: at
   * once.
   */
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

/** Starts polling for one task. */
export function startTaskHost(options: TaskHostOptions): TaskHost {
  return new PollingTaskHost(options);
}

class PollingTaskHost implements TaskHost {
  readonly taskName: string;
  readonly #options: TaskHostOptions;
  readonly #pool = createSlotPool();
  readonly #running = new Map<Promise<void>, AttemptSignals>();
  readonly #warned = new Set<string>();
  readonly #draining = new AbortController();
  readonly #loop: PollLoop;
  /** Attempts that have given their slot back and still read their result back (rule R6). */
  #trailingCount = 0;
  #toAll: AttemptSignal | undefined;

  constructor(options: TaskHostOptions) {
    this.#options = options;
    this.taskName = options.plan.task.name;
    for (const slot of options.plan.slots) void this.#offer(slot);
    this.#loop = this.#startLoop();
  }

  runningCount(): number {
    return this.#running.size;
  }

  health(): PollHealth {
    return this.#loop.health();
  }

  async drain(): Promise<void> {
    await this.#loop.stop();
    this.#draining.abort();
    await Promise.all(this.#running.keys());
  }

  tellAll(signal: AttemptSignal): void {
    this.#toAll = signal;
    for (const signals of this.#running.values()) signals.tell(signal);
  }

  #startLoop(): PollLoop {
    const { conductor, clock, workerId, domain, troubles } = this.#options;
    const place = { taskName: this.taskName, workerId, ...(domain === undefined ? {} : { domain }) };
    return startPollLoop({
      clock,
      freeSlots: () => this.#pool.freeCount(),
      slotFree: (signal) => this.#pool.whenFree(signal),
      holdReason: this.#options.holdReason,
      poll: async (ask) => await pollTasks(conductor, clock, { ...ask, ...place }),
      onAnswer: (answer) => this.#onAnswer(answer),
      onFailure: (error) => troubles.failed(this.taskName, error),
      onHold: (reason) => troubles.failed(this.taskName, new Error(`no task is polled: ${reason}`)),
      random: this.#options.random,
    });
  }

  #onAnswer(answer: PollAnswer): void {
    this.#options.troubles.worked(this.taskName);
    for (const parsed of answer.tasks) {
      const signals = createAttemptSignals();
      if (this.#toAll !== undefined) signals.tell(this.#toAll);
      const run: Promise<void> = this.#attempt(parsed, signals).finally(() => this.#running.delete(run));
      this.#running.set(run, signals);
    }
    for (const lost of answer.unreadable) {
      const fields = { task: this.taskName, ...lost };
      this.#options.log.error("a task cannot be read and waits out its response timeout", fields);
    }
  }

  async #attempt(parsed: ParsedTask, signals: AttemptSignals): Promise<void> {
    // Taken before anything is awaited: the next poll must not count this slot as free.
    const place = this.#pool.take();
    const { log } = this.#options;
    const { polled } = parsed;
    const task = this.#adjust(parsed);
    const lease = this.#lease(polled, signals);
    // The lease runs while the task waits for a slot: an engine may bring more than was asked for.
    await lease.start();
    const slot = await place;
    const fields = { task: task.name, taskId: polled.taskId, worker: slot.workerId };
    const { plan, runAttempt } = this.#options;
    let isFree = false;
    const onSlotFree = (): void => {
      // As many as there are slots may trail behind them: an engine that is slow to answer slows the polls, too.
      if (isFree || this.#trailingCount >= plan.slots.length) return;
      isFree = true;
      this.#trailingCount += 1;
      void this.#offer(slot);
    };
    try {
      const end = await runAttempt({ task, polled, slot, lease, subscribe: signals.subscribe, onSlotFree });
      log.debug("an attempt has ended", { ...fields, outcome: end.outcome });
    } catch (error) {
      log.error("an attempt threw, which none may", { ...fields, error });
    } finally {
      await lease.stop();
      this.#options.troubles.worked(leaseName(polled));
      if (isFree) this.#trailingCount -= 1;
      else void this.#offer(slot);
    }
  }

  /** Case C06: warned of once, not once an attempt. */
  #adjust(parsed: ParsedTask): TaskDescription {
    const { task, warnings } = withEngineTimeouts(this.#options.plan.task, parsed.engineTimeouts);
    for (const warning of warnings) {
      if (this.#warned.has(warning)) continue;
      this.#warned.add(warning);
      this.#options.log.warn(warning);
    }
    return task;
  }

  #lease(polled: PolledTask, signals: AttemptSignals): StartedLease {
    const { plan, conductor, clock, troubles } = this.#options;
    const heartbeatIntervalSeconds = plan.task.publishBudget?.heartbeatIntervalSeconds;
    const name = leaseName(polled);
    return createLease({
      held: polled,
      pollSentAtMs: polled.pollSentAtMs,
      times: leaseTimes({
        responseTimeoutSeconds: polled.responseTimeoutSeconds,
        ...(heartbeatIntervalSeconds === undefined ? {} : { heartbeatIntervalSeconds }),
      }),
      server: createLeaseServer(conductor),
      clock,
      events: {
        onLost: (reason) => signals.tell({ kind: "attempt_lost", reason }),
        onTrouble: (error) => troubles.failed(name, error),
        onAnswered: () => troubles.worked(name),
      },
    });
  }

  async #offer(slot: Slot): Promise<void> {
    const { ready, plan, log } = this.#options;
    const { signal } = this.#draining;
    try {
      await ready?.(plan.task, slot, signal);
    } catch (error) {
      if (!signal.aborted) {
        log.error("a slot cannot take tasks", { task: this.taskName, worker: slot.workerId, error });
        return;
      }
    }
    // A slot that is not ready at the drain is given all the same: somebody may hold a task that the last poll brought.
    this.#pool.give(slot);
  }
}

function leaseName(polled: PolledTask): string {
  return `the lease of task ${polled.taskId}`;
}
