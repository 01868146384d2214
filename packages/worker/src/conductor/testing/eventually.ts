import { setTimeout as sleep } from "node:timers/promises";

/** Waits until the condition holds; fails with the claim after `boundMs`. */
export async function eventually(claim: string, condition: () => boolean, boundMs = 5_000): Promise<void> {
  const endMs = performance.now() + boundMs;
  while (!condition()) {
    if (performance.now() > endMs) throw new Error(`within ${boundMs} ms: ${claim}`);
    await sleep(5);
  }
}
