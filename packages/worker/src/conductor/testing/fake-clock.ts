import type { Clock } from "../../attempt/ports/clock.ts";

interface Sleeper {
  readonly atMs: number;
  readonly wake: () => void;
}

/** A clock that stands still until the test moves it. */
export interface FakeClock extends Clock {
  /** Moves the time on, waking what sleeps on the way, in order, and lets what they started settle. */
  advance(byMs: number): Promise<void>;
  sleeperCount(): number;
}

export function createFakeClock(startMs = 1_000_000): FakeClock {
  let now = startMs;
  let sleepers: Sleeper[] = [];

  async function settle(): Promise<void> {
    // Promise chains only: nothing behind this clock waits for the system.
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
  }

  return {
    nowMs: () => now,
    wait(delayMs, signal) {
      if (signal?.aborted === true) return Promise.resolve();
      return new Promise((resolve) => {
        const sleeper: Sleeper = {
          atMs: now + Math.max(0, delayMs),
          wake: () => {
            signal?.removeEventListener("abort", sleeper.wake);
            sleepers = sleepers.filter((other) => other !== sleeper);
            resolve();
          },
        };
        sleepers.push(sleeper);
        signal?.addEventListener("abort", sleeper.wake, { once: true });
      });
    },
    async advance(byMs) {
      const endMs = now + byMs;
      await settle();
      for (let turn = 0; turn < 10_000; turn += 1) {
        const next = sleepers.filter((sleeper) => sleeper.atMs <= endMs).toSorted((a, b) => a.atMs - b.atMs)[0];
        if (next === undefined) break;
        now = Math.max(now, next.atMs);
        next.wake();
        await settle();
      }
      now = endMs;
      await settle();
    },
    sleeperCount: () => sleepers.length,
  };
}
