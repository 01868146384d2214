/**
 * Longest that a poll waits at the engine, milliseconds. Above 5,000 the engine refuses; 1 s keeps the lease honest
 * (rule A1) and a stop short.
 */
export const IDLE_POLL_TIMEOUT_MS = 1_000;
/** Most tasks that one poll asks for. */
export const MAX_POLL_COUNT = 100;
/** First and longest pause after failed polls. */
export const POLL_BACKOFF_MIN_MS = 250;
/** Longest pause after failed polls. */
export const POLL_BACKOFF_MAX_MS = 10_000;

/** What the poll loop of one task knows before it polls. */
export interface PollState {
  readonly freeSlots: number;
  /** Whether the last poll brought a task. */
  readonly broughtWork: boolean;
}

/** What to ask the engine for; `undefined` means to wait for a free slot. */
export interface PollAsk {
  readonly count: number;
  readonly timeoutMs: number;
}

/**
 * How to poll. While polls bring work: for all free slots, at once. When idle: for one task, waiting. A batch poll for
 * more than what is queued would hold the first task back until its timeout (tried), so waiting is done for one task
 * only.
 */
export function decidePoll(state: PollState): PollAsk | undefined {
  if (state.freeSlots <= 0) return undefined;
  if (state.broughtWork) return { count: Math.min(state.freeSlots, MAX_POLL_COUNT), timeoutMs: 0 };
  return { count: 1, timeoutMs: IDLE_POLL_TIMEOUT_MS };
}

/**
 * Pause after the given number of failed polls in a row: doubling, with jitter over its upper half. `random` is in
 * [0, 1).
 */
export function pollBackoffMs(failureCount: number, random: number): number {
  const fullMs = Math.min(POLL_BACKOFF_MAX_MS, POLL_BACKOFF_MIN_MS * 2 ** Math.min(failureCount - 1, 20));
  return fullMs / 2 + (fullMs / 2) * random;
}
