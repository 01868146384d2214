import { expect, test } from "vitest";
import { createClock } from "../src/clock.ts";

const frozen = (): ReturnType<typeof createClock> => createClock(() => 1_000_000);

test("a clock runs with real time and is moved on by advance, never back", () => {
  const clock = frozen();
  expect(clock.nowMs()).toBe(1_000_000);
  clock.advance(500);
  expect(clock.nowMs()).toBe(1_000_500);
  expect(() => clock.advance(-1)).toThrow(RangeError);
  expect(() => clock.advance(Number.NaN)).toThrow(RangeError);
});

test("advance fires what is due, in the order of its time, once", () => {
  const clock = frozen();
  const fired: string[] = [];
  clock.after(300, () => fired.push("late"));
  clock.after(100, () => fired.push("early"));
  clock.after(1_000, () => fired.push("never"));
  clock.advance(99);
  expect(fired).toEqual([]);
  clock.advance(300);
  expect(fired).toEqual(["early", "late"]);
  clock.advance(1);
  expect(fired).toEqual(["early", "late"]);
  clock.close();
});

test("a cancelled timer does not fire, nor does one after close", () => {
  const clock = frozen();
  const fired: string[] = [];
  clock.after(10, () => fired.push("cancelled")).cancel();
  clock.after(20, () => fired.push("closed"));
  clock.close();
  clock.advance(1_000);
  expect(fired).toEqual([]);
});

test("a timer that another one's firing cancels does not fire", () => {
  const clock = frozen();
  const fired: string[] = [];
  const second = clock.after(20, () => fired.push("second"));
  clock.after(10, () => second.cancel());
  clock.advance(100);
  expect(fired).toEqual([]);
});

test("a timer fires with real time too", async () => {
  const clock = createClock();
  await new Promise<void>((resolve) => clock.after(5, resolve));
  clock.close();
});
