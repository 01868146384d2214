import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "./attempt/ports/clock.ts";

/** The longest wait that a timer of Node takes; it fires at once for anything above. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The monotonic clock of this process. */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  async wait(delayMs, signal) {
    const untilMs = performance.now() + delayMs;
    try {
      for (let leftMs = delayMs; leftMs > 0; leftMs = untilMs - performance.now()) {
        await sleep(Math.min(leftMs, MAX_TIMER_MS), undefined, signal === undefined ? {} : { signal });
      }
    } catch (error) {
      // Ended from outside is no failure of a wait.
      if (signal?.aborted !== true) throw error;
    }
  },
};
