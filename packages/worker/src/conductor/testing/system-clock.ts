import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../attempt/ports/clock.ts";

/** The machine's monotonic clock, for tests that run over real sockets. */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  async wait(delayMs, signal) {
    try {
      await sleep(delayMs, undefined, signal === undefined ? {} : { signal });
    } catch {
      // The signal fired.
    }
  },
};

/** Waits until the condition holds; fails with the claim after `boundMs`. */
export async function eventually(claim: string, condition: () => boolean, boundMs = 5_000): Promise<void> {
  const endMs = performance.now() + boundMs;
  while (!condition()) {
    if (performance.now() > endMs) throw new Error(`within ${boundMs} ms: ${claim}`);
    await sleep(5);
  }
}
