import { setTimeout as pause } from "node:timers/promises";

/** Looks every `everyMs` until `probe` is true or the time is over; says which. */
export async function within(
  timeoutMs: number,
  probe: () => boolean | Promise<boolean>,
  everyMs = 100,
): Promise<boolean> {
  const endMs = performance.now() + timeoutMs;
  for (;;) {
    if (await probe()) return true;
    if (performance.now() > endMs) return false;
    await pause(everyMs);
  }
}
