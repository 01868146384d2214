import { setTimeout as pause } from "node:timers/promises";

/** How long and how often `until` looks. */
export interface Patience {
  /** Default 30 s. */
  readonly timeoutMs?: number;
  /** Default 50 ms. */
  readonly everyMs?: number;
}

/**
 * Looks again until `probe` gives a value that is neither undefined nor false, and returns that value.
 * @throws {Error} with `what` and the last thing seen when the time is over.
 */
export async function until<T>(
  what: string,
  probe: () => T | undefined | false | Promise<T | undefined | false>,
  { timeoutMs = 30_000, everyMs = 50 }: Patience = {},
  describe?: () => string,
): Promise<T> {
  const endMs = performance.now() + timeoutMs;
  for (;;) {
    const seen = await probe();
    if (seen !== undefined && seen !== false) return seen;
    if (performance.now() > endMs) {
      const last = describe === undefined ? "" : `; last seen: ${describe()}`;
      throw new Error(`not within ${timeoutMs} ms: ${what}${last}`);
    }
    await pause(everyMs);
  }
}
