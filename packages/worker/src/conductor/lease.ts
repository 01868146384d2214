import { checkAttempt, type AttemptIdentity, type AttemptRead } from "@perago/fence";
import type { Lease } from "../attempt/ports/attempt-source.ts";
import type { Clock } from "../attempt/ports/clock.ts";
import { ConductorError } from "./errors.ts";
import { firstDeadlineMs, needsHeartbeatFirst, type LeaseTimes } from "./lease-times.ts";

/** Least time that a request gets when the lease is nearly over, milliseconds. */
const REQUEST_MIN_MS = 250;

/** What a lease needs of the engine. Both throw `ConductorError`. */
export interface LeaseServer {
  /** Sends one heartbeat, bounded. */
  heartbeat(held: AttemptIdentity, timeoutMs: number): Promise<void>;
  /** A fresh read; null where the engine does not know the task. */
  read(taskId: string, timeoutMs: number): Promise<AttemptRead>;
}

export interface LeaseEvents {
  /** The attempt is no longer ours to go on with (rule A4); at most once, never after `stop`. */
  onLost(reason: string): void;
  /** A heartbeat or its read failed; the lease goes on. */
  onTrouble(error: unknown): void;
}

/** A lease that the host starts before it hands the attempt on. */
export interface StartedLease extends Lease {
  /** Starts the heartbeats. Where too little of the lease is left, resolves after a first heartbeat, answered or not. */
  start(): Promise<void>;
}

/**
 * Keeps the lease of one attempt (rules A1, A4, R4). Heartbeats run one after the other, never two at a time; each of the loop's is followed by a read
 * of the attempt, because the engine answers 200 for ended tasks too (case R04).
 */
export function createLease(options: {
  readonly held: AttemptIdentity;
  readonly pollSentAtMs: number;
  readonly times: LeaseTimes;
  readonly server: LeaseServer;
  readonly clock: Clock;
  readonly events: LeaseEvents;
}): StartedLease {
  const { held, times, server, clock, events } = options;
  const stopping = new AbortController();
  const hasLease = times.leaseMs !== Infinity;
  let deadline = firstDeadlineMs(options.pollSentAtMs, times.leaseMs);
  let unanswered = false;
  let lost = false;
  let queue: Promise<unknown> = Promise.resolve();

  /** No request of the loop outlasts the lease, so that the attempt is told in time (case R01). */
  function boundMs(): number {
    return Math.max(REQUEST_MIN_MS, Math.min(times.heartbeatTimeoutMs, deadline - clock.nowMs()));
  }

  function tellLost(reason: string): void {
    if (lost || stopping.signal.aborted) return;
    lost = true;
    events.onLost(reason);
  }

  /** One heartbeat after those before it; the deadline moves from the time of sending, and only on an answer. */
  function beat(): Promise<boolean> {
    const turn = queue.then(async () => {
      const sentAtMs = clock.nowMs();
      try {
        await server.heartbeat(held, boundMs());
        deadline = Math.max(deadline, sentAtMs + times.leaseMs);
        return true;
      } catch (error) {
        // Rule R4: what ended without an answer may still reach the engine and write the task back.
        if (!(error instanceof ConductorError) || error.mayHaveLanded) unanswered = true;
        events.onTrouble(error);
        return false;
      }
    });
    queue = turn;
    return turn;
  }

  /** Rule A4: is the attempt still current? No answer is no knowledge; the deadline decides then. */
  async function look(): Promise<void> {
    try {
      const read = await server.read(held.taskId, boundMs());
      const verdict = checkAttempt({ held, read, nowMs: clock.nowMs(), leaseDeadlineMs: deadline });
      if (verdict.verdict !== "current") tellLost(describe(verdict.reason, read));
    } catch (error) {
      events.onTrouble(error);
    }
    // Case R01: the engine may notice late, our own deadline ends the attempt in time.
    if (clock.nowMs() >= deadline) tellLost("lease_expired: no heartbeat was answered before the lease ended");
  }

  async function run(): Promise<void> {
    let delayMs = times.cadenceMs;
    while (!stopping.signal.aborted) {
      await clock.wait(Math.max(0, Math.min(delayMs, deadline - clock.nowMs())), stopping.signal);
      if (stopping.signal.aborted || lost) return;
      // None after the deadline: the engine may have ended the attempt, and a heartbeat writes the whole task back.
      const answered = !hasLease || (clock.nowMs() < deadline && (await beat()));
      if (!stopping.signal.aborted) await look();
      delayMs = answered ? times.cadenceMs : times.retryMs;
    }
  }

  return {
    async start() {
      if (needsHeartbeatFirst({ nowMs: clock.nowMs(), deadlineMs: deadline, leaseMs: times.leaseMs })) await beat();
      void run();
    },
    deadlineMs: () => deadline,
    async extend() {
      if (hasLease && !stopping.signal.aborted) await beat();
    },
    async stop() {
      stopping.abort();
      // A read under way may go on: it writes nothing, and tells nobody any more.
      await queue;
      return { unanswered };
    },
  };
}

function describe(reason: string, read: AttemptRead): string {
  if (read === null) return `${reason}: Conductor does not know the task`;
  if (reason === "not_in_progress") return `${reason}: the task is ${read.status}`;
  return `${reason}: the task is held by worker ${read.workerId}, poll ${read.pollCount}`;
}
