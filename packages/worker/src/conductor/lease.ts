import { checkAttempt, type AttemptIdentity, type AttemptRead } from "@perago/fence";
import type { Lease } from "../attempt/ports/attempt-source.ts";
import type { Clock } from "../attempt/ports/clock.ts";
import { AttemptError } from "../failure.ts";
import { ConductorError } from "./errors.ts";
import { firstDeadlineMs, needsHeartbeatFirst, type LeaseTimes } from "./lease-times.ts";

/** Least time that a request gets when the lease is nearly over, milliseconds. */
const REQUEST_MIN_MS = 250;
/** A reason made once: the default one of an abort is an error with its stack, for each attempt. */
const STOPPED = "the attempt has ended";

/** What a lease needs of the engine. Both throw `ConductorError`. */
export interface LeaseServer {
  /** Sends one heartbeat, bounded. */
  heartbeat(held: AttemptIdentity, timeoutMs: number): Promise<void>;
  /** A fresh read; null where the engine does not know the task. */
  read(taskId: string, timeoutMs: number): Promise<AttemptRead>;
}

/** What a lease tells its host. */
export interface LeaseEvents {
  /** The attempt is no longer ours to go on with (rule A4); at most once, never after `stop`. */
  onLost(reason: string): void;
  /** A heartbeat or its read failed; the lease goes on. */
  onTrouble(error: unknown): void;
  /** A heartbeat was answered. */
  onAnswered?(): void;
}

/** A lease that the host starts before it hands the attempt on. */
export interface StartedLease extends Lease {
  /**
   * Starts the heartbeats. Where too little of the lease is left, resolves after a first heartbeat, answered or not.
   */
  start(): Promise<void>;
}

/** What one lease is kept with. */
export interface LeaseOptions {
  readonly held: AttemptIdentity;
  /** Monotonic milliseconds. */
  readonly pollSentAtMs: number;
  readonly times: LeaseTimes;
  readonly server: LeaseServer;
  readonly clock: Clock;
  readonly events: LeaseEvents;
}

/**
 * Keeps the lease of one attempt (rules A1, A4, R4). Heartbeats run one after the other, never two at a time; each of
 * the loop's is followed by a read of the attempt, because the engine answers 200 for ended tasks too (case R04).
 */
export function createLease(options: LeaseOptions): StartedLease {
  return new HeartbeatLease(options);
}

class HeartbeatLease implements StartedLease {
  readonly #options: LeaseOptions;
  readonly #stopping = new AbortController();
  readonly #hasLease: boolean;
  #deadlineMs: number;
  #unanswered = false;
  #lost = false;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#hasLease = options.times.leaseMs !== Infinity;
    this.#deadlineMs = firstDeadlineMs(options.pollSentAtMs, options.times.leaseMs);
  }

  async start(): Promise<void> {
    const { clock, times } = this.#options;
    const isShort = needsHeartbeatFirst({ nowMs: clock.nowMs(), deadlineMs: this.#deadlineMs, leaseMs: times.leaseMs });
    if (isShort) await this.#beat(times.heartbeatTimeoutMs);
    void this.#run();
  }

  deadlineMs(): number {
    return this.#deadlineMs;
  }

  async extend(): Promise<void> {
    if (!this.#hasLease || this.#stopping.signal.aborted) return;
    if (await this.#beat(this.#options.times.heartbeatTimeoutMs)) return;
    const message = `the heartbeat of task ${this.#options.held.taskId} was not answered`;
    throw new AttemptError({ code: "server_unavailable", message, hint: "check that Conductor is up" });
  }

  async stop(): Promise<{ readonly unanswered: boolean }> {
    this.#stopping.abort(STOPPED);
    // A read under way may go on: it writes nothing, and tells nobody any more.
    await this.#queue;
    return { unanswered: this.#unanswered };
  }

  async #run(): Promise<void> {
    const { clock, times } = this.#options;
    const { signal } = this.#stopping;
    let delayMs = times.cadenceMs;
    while (!signal.aborted) {
      await clock.wait(Math.max(0, Math.min(delayMs, this.#deadlineMs - clock.nowMs())), signal);
      if (signal.aborted || this.#lost) return;
      // None after the deadline: the engine may have ended the attempt, and a heartbeat writes the whole task back.
      const isInTime = clock.nowMs() < this.#deadlineMs;
      const answered = !this.#hasLease || (isInTime && (await this.#beat(this.#boundMs())));
      if (!signal.aborted) await this.#look();
      delayMs = answered ? times.cadenceMs : times.retryMs;
    }
  }

  /** One heartbeat after those before it; the deadline moves from the time of sending, and only on an answer. */
  #beat(timeoutMs: number): Promise<boolean> {
    const turn = this.#queue.then(() => this.#send(timeoutMs));
    this.#queue = turn;
    return turn;
  }

  async #send(timeoutMs: number): Promise<boolean> {
    const { clock, events, held, server, times } = this.#options;
    const sentAtMs = clock.nowMs();
    try {
      await server.heartbeat(held, timeoutMs);
      this.#deadlineMs = Math.max(this.#deadlineMs, sentAtMs + times.leaseMs);
      events.onAnswered?.();
      return true;
    } catch (error) {
      // Rule R4: what ended without an answer may still reach the engine and write the task back.
      if (!(error instanceof ConductorError) || error.mayHaveLanded) this.#unanswered = true;
      events.onTrouble(error);
      return false;
    }
  }

  /** Rule A4: is the attempt still current? No answer is no knowledge; the deadline decides then. */
  async #look(): Promise<void> {
    const { clock, events, held, server } = this.#options;
    try {
      const read = await server.read(held.taskId, this.#boundMs());
      const verdict = checkAttempt({ held, read, nowMs: clock.nowMs(), leaseDeadlineMs: this.#deadlineMs });
      if (verdict.verdict !== "current") this.#tellLost(describe(verdict.reason, read));
    } catch (error) {
      events.onTrouble(error);
    }
    // Case R01: the engine may notice late, our own deadline ends the attempt in time.
    if (clock.nowMs() >= this.#deadlineMs) {
      this.#tellLost("lease_expired: no heartbeat was answered before the lease ended");
    }
  }

  /** No request of the loop outlasts the lease, so that the attempt is told in time (case R01). */
  #boundMs(): number {
    const { clock, times } = this.#options;
    return Math.max(REQUEST_MIN_MS, Math.min(times.heartbeatTimeoutMs, this.#deadlineMs - clock.nowMs()));
  }

  #tellLost(reason: string): void {
    if (this.#lost || this.#stopping.signal.aborted) return;
    this.#lost = true;
    this.#options.events.onLost(reason);
  }
}

function describe(reason: string, read: AttemptRead): string {
  if (read === null) return `${reason}: Conductor does not know the task`;
  if (reason === "lease_expired") return `${reason}: no heartbeat was answered before the lease ended`;
  if (reason === "not_in_progress") return `${reason}: the task is ${read.status}`;
  return `${reason}: the task is held by worker ${read.workerId}, poll ${read.pollCount}`;
}
