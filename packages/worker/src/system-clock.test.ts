import { expect, test, vi } from "vitest";
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

test("fault F2: a wall clock that jumps by hours moves neither this clock nor a wait", async () => {
  const wall = vi.spyOn(Date, "now");
  const beginMs = systemClock.nowMs();
  const wallMs = Date.now();
  for (const jumpMs of [5, -5, 0].map((hours) => hours * 3_600_000)) {
    wall.mockReturnValue(wallMs + jumpMs);
    await systemClock.wait(5);
  }
  wall.mockRestore();
  const passedMs = systemClock.nowMs() - beginMs;
  expect(passedMs).toBeGreaterThanOrEqual(14);
  expect(passedMs).toBeLessThan(3_600_000);
});
