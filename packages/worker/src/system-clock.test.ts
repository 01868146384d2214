import { expect, test } from "vitest";
import { systemClock } from "./system-clock.ts";

test("a wait longer than Node's timers can take does not end at once", async () => {
  const aborted = new AbortController();
  let ended = false;
  const wait = systemClock.wait(2 ** 33, aborted.signal).then(() => {
    ended = true;
  });
  await systemClock.wait(5);
  expect(ended).toBe(false);
  aborted.abort();
  await wait;
  expect(ended).toBe(true);
});

test("a wait ends after its time, and time does not step back", async () => {
  const beginMs = systemClock.nowMs();
  await systemClock.wait(20);
  expect(systemClock.nowMs() - beginMs).toBeGreaterThanOrEqual(19);
});
