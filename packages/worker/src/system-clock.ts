import type { Clock } from "./attempt/ports/clock.ts";

/** The longest wait that a timer of Node takes; it fires at once for anything above. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The monotonic clock of this process. */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  wait(delayMs, signal) {
    if (delayMs <= 0 || signal?.aborted === true) return Promise.resolve();
    const untilMs = performance.now() + delayMs;
    // A promise of timers/promises would be rejected with an error that nobody wants, each time that a wait is ended.
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout;
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const sleep = (): void => {
        const leftMs = untilMs - performance.now();
        if (leftMs <= 0) end();
        else timer = setTimeout(sleep, Math.min(leftMs, MAX_TIMER_MS));
      };
      signal?.addEventListener("abort", end, { once: true });
      sleep();
    });
  },
};
