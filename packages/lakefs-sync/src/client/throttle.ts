import { LakefsError } from "./errors.ts";
import type { RetryClock } from "./retry.ts";

const longestTimerMs = 2 ** 31 - 1;

/**
 * How many requests one server gets at a time: halved when it answers 429 or 503, one more again after each round of
 * successes, never above `maxCount` and never below one (case B19). While the server asks for a pause (Retry-After),
 * none is started.
 */
export class Throttle {
  readonly #maxCount: number;
  readonly #clock: RetryClock;
  readonly #waiting: (() => void)[] = [];
  #limit: number;
  #runningCount = 0;
  #pausedUntilMs = -Infinity;
  #loweredAtMs = -Infinity;

  constructor(maxCount: number, clock: RetryClock) {
    this.#maxCount = maxCount;
    this.#limit = maxCount;
    this.#clock = clock;
  }

  /** Requests that may run at a time now. */
  get limit(): number {
    return Math.floor(this.#limit);
  }

  /** Takes a place: true at once or later, false where none came free in time. */
  enter(signal: AbortSignal | undefined, waitMs: number): true | Promise<boolean> {
    if (this.#runningCount < this.limit && this.#waiting.length === 0) {
      this.#runningCount += 1;
      return true;
    }
    return new Promise((resolve) => {
      const end = (granted: boolean): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", giveUp);
        resolve(granted);
      };
      const grant = (): void => end(true);
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(grant), 1);
        end(false);
      };
      const timer = setTimeout(giveUp, Math.max(0, Math.min(waitMs, longestTimerMs)));
      signal?.addEventListener("abort", giveUp, { once: true });
      this.#waiting.push(grant);
    });
  }

  /** How long no request may be started, in milliseconds. */
  pauseMs(): number {
    return Math.max(0, this.#pausedUntilMs - this.#clock.nowMs());
  }

  /** The server is too busy for a request that was sent at `sentAtMs`. */
  onBusy(sentAtMs: number, askedMs: number | undefined): void {
    const nowMs = this.#clock.nowMs();
    if (askedMs !== undefined) this.#pausedUntilMs = Math.max(this.#pausedUntilMs, nowMs + askedMs);
    // One halving a round: requests that were sent before the last one tell nothing new.
    if (sentAtMs <= this.#loweredAtMs) return;
    this.#limit = Math.max(1, this.#limit / 2);
    this.#loweredAtMs = nowMs;
  }

  onSuccess(): void {
    this.#limit = Math.min(this.#maxCount, this.#limit + 1 / this.#limit);
  }

  /** Gives the place back. */
  leave(): void {
    this.#runningCount -= 1;
    while (this.#runningCount < this.limit) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#runningCount += 1;
      next();
    }
  }
}

/** Bounds of one request that waits for its turn. */
export interface Turn {
  readonly clock: RetryClock;
  readonly signal: AbortSignal | undefined;
  /** By the clock. */
  readonly deadlineMs: number;
  /** Longest pause that a server may ask for, in milliseconds. */
  readonly maxPauseMs: number;
  /** The error for a request that got no turn within its time. */
  readonly notSent: () => LakefsError;
}

/** Runs one try with as many others at a time as the server takes (case B19). */
export async function runInTurn<T>(throttle: Throttle, turn: Turn, attempt: () => Promise<T>): Promise<T> {
  const { clock, signal, deadlineMs } = turn;
  const place = throttle.enter(signal, deadlineMs - clock.nowMs());
  if (place !== true && !(await place)) throw turn.notSent();
  try {
    const pauseMs = throttle.pauseMs();
    if (pauseMs > 0) {
      if (pauseMs >= deadlineMs - clock.nowMs()) throw turn.notSent();
      await clock.sleep(pauseMs, signal).catch(() => undefined);
    }
    const sentAtMs = clock.nowMs();
    try {
      const value = await attempt();
      throttle.onSuccess();
      return value;
    } catch (error) {
      if (error instanceof LakefsError && (error.status === 429 || error.status === 503)) {
        const { retryAfterMs } = error;
        throttle.onBusy(sentAtMs, retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, turn.maxPauseMs));
      }
      throw error;
    }
  } finally {
    throttle.leave();
  }
}
