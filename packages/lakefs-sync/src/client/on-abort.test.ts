import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { onAbort } from "./on-abort.ts";

test("an abort reaches every call that runs, and none that has ended", () => {
  const controller = new AbortController();
  const told: string[] = [];
  const watch = (name: string): (() => void) => onAbort(controller.signal, () => void told.push(name));
  const endFirst = watch("first");
  watch("second");
  endFirst();
  // It takes the place of the first, whose end is told twice.
  watch("third");
  endFirst();
  watch("fourth");
  controller.abort();
  expect(told.toSorted()).toEqual(["fourth", "second", "third"]);
});

test("a signal has one listener, however many calls it had, and signals do not mix", () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const told: number[] = [];
  for (let call = 0; call < 1000; call += 1) onAbort(one.signal, () => void told.push(call))();
  onAbort(other.signal, () => void told.push(-1));
  expect(getEventListeners(one.signal, "abort")).toHaveLength(1);
  one.abort();
  expect(told).toEqual([]);
  other.abort();
  expect(told).toEqual([-1]);
});
