import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "./attempt/ports/clock.ts";

/** The monotonic clock of this process. */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  async wait(delayMs, signal) {
    try {
      await sleep(delayMs, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      // Ended from outside is no failure of a wait.
      if (signal?.aborted !== true) throw error;
    }
  },
};
