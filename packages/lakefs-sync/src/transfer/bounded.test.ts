import { expect, test } from "vitest";
import { breathe, forEachBounded } from "./bounded.ts";

test("never more than the given number run at once, and all items are done", async () => {
  let running = 0;
  let most = 0;
  const done: number[] = [];
  const items = Array.from({ length: 50 }, (_, index) => index);
  await forEachBounded(items, 7, new AbortController().signal, async (item) => {
    running += 1;
    most = Math.max(most, running);
    await breathe();
    running -= 1;
    done.push(item);
  });
  expect(most).toBe(7);
  expect(done.toSorted((a, b) => a - b)).toEqual(items);
});

test("the first failure ends the rest and is the one thrown, after all have stopped", async () => {
  let started = 0;
  let stopped = 0;
  const work = forEachBounded(
    Array.from({ length: 1000 }, (_, index) => index),
    4,
    new AbortController().signal,
    async (item) => {
      started += 1;
      await breathe();
      stopped += 1;
      if (item === 5) throw new Error("five");
    },
  );
  await expect(work).rejects.toThrow("five");
  expect(started).toBeLessThan(20);
  expect(stopped).toBe(started);
});

test("an abort ends the work", async () => {
  const controller = new AbortController();
  const work = forEachBounded([1, 2, 3, 4], 1, controller.signal, async (item) => {
    if (item === 2) controller.abort();
    await breathe();
  });
  await expect(work).rejects.toMatchObject({ name: "AbortError" });
});
