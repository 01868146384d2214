import { setTimeout as delay } from "node:timers/promises";
import { LakefsError } from "./errors.ts";

/** How often and how long a safe call is repeated. */
export interface RetryPolicy {
  /** Tries in all, the first one included. Default 10. */
  readonly tryCount: number;
  /** Wait before the second try, doubled after each, in milliseconds. Default 100. */
  readonly baseDelayMs: number;
  /** Longest wait that is not asked for by the server, in milliseconds. Default 5,000. */
  readonly maxDelayMs: number;
  /** Longest Retry-After that is obeyed, in milliseconds. Default 60,000. */
  readonly maxRetryAfterMs: number;
}

/** Time and dice, given from outside so that tests decide them. */
export interface RetryClock {
  /** Monotonic, in milliseconds. */
  nowMs(): number;
  /** In [0, 1). */
  random(): number;
  sleep(durationMs: number, signal: AbortSignal | undefined): Promise<void>;
}

/** What the client does where nothing else is said: 10 tries, waits of 0.1 to 5 s, Retry-After obeyed up to 60 s. */
export const defaultRetryPolicy: RetryPolicy = {
  tryCount: 10,
  baseDelayMs: 100,
  maxDelayMs: 5_000,
  maxRetryAfterMs: 60_000,
};

/** The real clock and dice. */
export const systemRetryClock: RetryClock = {
  nowMs: () => performance.now(),
  random: () => Math.random(),
  sleep: (durationMs, signal) => delay(durationMs, undefined, signal === undefined ? {} : { signal }),
};

/** Reads a Retry-After header (seconds, or an HTTP date) into milliseconds; undefined where it says nothing. */
export function parseRetryAfter(value: string | undefined, wallNowMs: number): number | undefined {
  if (value === undefined || value.trim() === "") return undefined;
  if (/^\d{1,6}$/.test(value.trim())) return Number(value.trim()) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - wallNowMs);
}

/**
 * The wait before the next try, or undefined where there is none (case B19, fault E4). Half of the wait is dice, so
 * that many hosts do not come back at once. Pure.
 */
export function nextDelayMs(
  policy: RetryPolicy,
  failed: { readonly tryNumber: number; readonly retryAfterMs?: number; readonly remainingMs: number },
  random: number,
): number | undefined {
  if (failed.tryNumber >= policy.tryCount) return undefined;
  const exponential = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (failed.tryNumber - 1));
  const jittered = exponential / 2 + (exponential / 2) * random;
  const asked = failed.retryAfterMs === undefined ? 0 : Math.min(failed.retryAfterMs, policy.maxRetryAfterMs);
  const waitMs = Math.max(jittered, asked + (asked > 0 ? jittered : 0));
  return waitMs < failed.remainingMs ? waitMs : undefined;
}

/** Repeats `attempt` while it fails with a retryable {@link LakefsError}. Only for calls that may repeat. */
export async function withRetries<T>(
  options: {
    readonly policy: RetryPolicy;
    readonly clock: RetryClock;
    readonly deadlineMs: number;
    readonly signal?: AbortSignal | undefined;
    /** Whether a retryable failure of this call may be repeated. Default all. */
    readonly mayRepeat?: (error: LakefsError) => boolean;
  },
  attempt: (tryNumber: number) => Promise<T>,
): Promise<T> {
  const { policy, clock, deadlineMs, signal, mayRepeat } = options;
  for (let tryNumber = 1; ; tryNumber += 1) {
    try {
      return await attempt(tryNumber);
    } catch (error) {
      if (!(error instanceof LakefsError) || !error.retryable || signal?.aborted) throw error;
      if (mayRepeat?.(error) === false) throw error;
      const failed = { tryNumber, remainingMs: deadlineMs - clock.nowMs() };
      const asked = error.retryAfterMs;
      const waitMs = nextDelayMs(
        policy,
        asked === undefined ? failed : { ...failed, retryAfterMs: asked },
        clock.random(),
      );
      if (waitMs === undefined) throw error;
      try {
        await clock.sleep(waitMs, signal);
      } catch {
        throw error;
      }
    }
  }
}
