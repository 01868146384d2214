import { expect, test } from "vitest";
import { SpareTime } from "./spare-time.ts";

test("spare time begins when the last job has ended, and is quiet when none has come since", async () => {
  let callCount = 0;
  const spare = new SpareTime(() => {
    callCount += 1;
  });
  spare.begin();
  spare.begin();
  spare.end();
  expect([callCount, spare.isFree, spare.isQuiet]).toEqual([0, false, false]);
  spare.end();
  expect([callCount, spare.isFree, spare.isQuiet]).toEqual([1, true, false]);
  await expect.poll(() => callCount, { timeout: 10_000 }).toBe(2);
  expect(spare.isQuiet).toBe(true);
  spare.begin();
  expect([spare.isFree, spare.isQuiet]).toEqual([false, false]);
});
