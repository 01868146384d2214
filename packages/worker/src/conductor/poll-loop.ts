import type { Clock } from "../attempt/ports/clock.ts";
import { decidePoll, pollBackoffMs, type PollAsk } from "./poll-decision.ts";
import type { PollAnswer } from "./poll.ts";

/** While polling is held back (such as by a full disk) the reason is looked at again after this. */
export const HOLD_RECHECK_MS = 5_000;
/** No turn of the loop and no good poll for this long is worth a loud line (fault E7, case A07). */
export const WATCHDOG_MS = 60_000;

/** What the poll loop of one task runs on. */
export interface PollLoopOptions {
  readonly clock: Clock;
  /** Free slots of this task now. */
  freeSlots(): number;
  /** Resolves when a slot is free, or when the signal fires. */
  slotFree(signal: AbortSignal): Promise<void>;
  /** Why no poll may be made now, or undefined (free-disk floor). */
  holdReason(): Promise<string | undefined>;
  poll(ask: PollAsk): Promise<PollAnswer>;
  /** Takes what a poll brought; must not throw and must not wait. */
  onAnswer(answer: PollAnswer): void;
  onFailure(error: unknown): void;
  onHold(reason: string): void;
  /** In [0, 1). */
  random(): number;
}

/** How a poll loop is doing, for the watchdog. */
export type PollHealth =
  | { readonly state: "ok" }
  | { readonly state: "full" | "held" | "stopped" }
  /** Polls fail, or none has been answered, for longer than the watchdog allows. */
  | { readonly state: "silent"; readonly sinceMs: number };

/** The poll loop of one task. */
export interface PollLoop {
  /**
   * Stops polling. The open poll is awaited, never cut: what it brings is ours already and would wait out its response
   * timeout (case R11). Resolves when the loop has ended and its last answer has been handed over.
   */
  stop(): Promise<void>;
  health(): PollHealth;
}

/** Starts the poll loop of one task; it runs until `stop`. */
export function startPollLoop(options: PollLoopOptions): PollLoop {
  const { clock } = options;
  const stopping = new AbortController();
  let state: "polling" | "full" | "held" | "stopped" = "polling";
  let goodAtMs = clock.nowMs();
  let failureCount = 0;
  let broughtWork = true;

  async function turn(): Promise<void> {
    const ask = decidePoll({ freeSlots: options.freeSlots(), broughtWork });
    if (ask === undefined) {
      state = "full";
      await options.slotFree(stopping.signal);
      goodAtMs = clock.nowMs();
      broughtWork = true;
      return;
    }
    const reason = await options.holdReason();
    if (reason !== undefined) {
      state = "held";
      options.onHold(reason);
      await clock.wait(HOLD_RECHECK_MS, stopping.signal);
      goodAtMs = clock.nowMs();
      return;
    }
    if (stopping.signal.aborted) return;
    state = "polling";
    const answer = await options.poll(ask);
    goodAtMs = clock.nowMs();
    failureCount = 0;
    broughtWork = answer.tasks.length > 0;
    options.onAnswer(answer);
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await turn();
      } catch (error) {
        failureCount += 1;
        options.onFailure(error);
        await clock.wait(pollBackoffMs(failureCount, options.random()), stopping.signal);
      }
    }
    state = "stopped";
  }

  const ended = run();
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
    health() {
      if (state !== "polling") return { state };
      const sinceMs = clock.nowMs() - goodAtMs;
      return sinceMs > WATCHDOG_MS ? { state: "silent", sinceMs } : { state: "ok" };
    },
  };
}
