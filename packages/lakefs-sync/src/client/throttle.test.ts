import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { answerJson, clientTo, failureFrom, fakeHttp, fastClock } from "../../test/fake-http.ts";
import type { RetryClock } from "./retry.ts";
import { Throttle } from "./throttle.ts";

/** A clock that stands still until it is moved. */
function handClock(): RetryClock & { nowMsValue: number } {
  const clock = { nowMsValue: 0, nowMs: () => clock.nowMsValue, random: () => 0, sleep: () => Promise.resolve() };
  return clock;
}

test("case B19: each busy round halves the requests at a time, down to one; successes bring them back", () => {
  const clock = handClock();
  const throttle = new Throttle(16, clock);
  const limits = [throttle.limit];
  for (let round = 1; round <= 5; round += 1) {
    clock.nowMsValue = round;
    throttle.onBusy(round, undefined);
    limits.push(throttle.limit);
  }
  expect(limits).toEqual([16, 8, 4, 2, 1, 1]);
  for (let count = 0; count < 200; count += 1) throttle.onSuccess();
  expect(throttle.limit).toBe(16);
});

test("case B19: of many refusals in one round only the first halves", () => {
  const clock = handClock();
  const throttle = new Throttle(16, clock);
  clock.nowMsValue = 5;
  for (let count = 0; count < 10; count += 1) throttle.onBusy(3, undefined);
  expect(throttle.limit).toBe(8);
});

test("case B19: while the server asks for a pause nothing is started", () => {
  const clock = handClock();
  const throttle = new Throttle(4, clock);
  throttle.onBusy(1, 3000);
  clock.nowMsValue = 1000;
  throttle.onBusy(1, 500);
  expect(throttle.pauseMs()).toBe(2000);
  clock.nowMsValue = 3001;
  expect(throttle.pauseMs()).toBe(0);
});

test("who waits for a place gets it in turn, and gives up in time or at the caller's word", async () => {
  const throttle = new Throttle(1, handClock());
  expect(throttle.enter(undefined, 1000)).toBe(true);
  const first = throttle.enter(undefined, 10_000);
  const late = throttle.enter(undefined, 1);
  const controller = new AbortController();
  const left = throttle.enter(controller.signal, 10_000);
  const last = throttle.enter(undefined, 10_000);
  controller.abort();
  expect([await late, await left]).toEqual([false, false]);
  throttle.leave();
  expect(await first).toBe(true);
  throttle.leave();
  expect(await last).toBe(true);
});

const events = fc.array(fc.constantFrom("enter", "leave", "busy", "success"), { maxLength: 200 });

property.prop([fc.integer({ min: 1, max: 20 }), events])(
  "never more than the limit run, and no place is lost",
  async (maxCount, steps) => {
    const clock = handClock();
    const throttle = new Throttle(maxCount, clock);
    let runningCount = 0;
    let wantedCount = 0;
    const enter = async (): Promise<void> => {
      wantedCount += 1;
      if (!(await throttle.enter(undefined, 60_000))) return;
      wantedCount -= 1;
      runningCount += 1;
      expect(runningCount).toBeLessThanOrEqual(maxCount);
    };
    const leave = async (): Promise<boolean> => {
      if (runningCount === 0) return false;
      runningCount -= 1;
      throttle.leave();
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      return true;
    };
    for (const step of steps) {
      clock.nowMsValue += 1;
      if (step === "enter") void enter();
      else if (step === "busy") throttle.onBusy(clock.nowMsValue, undefined);
      else if (step === "success") throttle.onSuccess();
      else await leave();
      await Promise.resolve();
    }
    while (await leave());
    expect(wantedCount).toBe(0);
  },
);

test("case B19: a server that takes four requests at a time gets 200 through, with few refused", async () => {
  let runningCount = 0;
  let refusedCount = 0;
  const { endpoint, seen } = await fakeHttp((_request, response, count) => {
    if (runningCount >= 4) {
      refusedCount += 1;
      response.writeHead(count % 2 === 0 ? 429 : 503).end();
      return;
    }
    runningCount += 1;
    setTimeout(() => {
      runningCount -= 1;
      answerJson(response, { id: "main", commit_id: "c1" });
    }, 2);
  });
  const client = clientTo(endpoint, { clock: fastClock() });
  await Promise.all(Array.from({ length: 200 }, () => client.getBranch("r", "main")));
  expect(refusedCount).toBeGreaterThan(0);
  expect(seen.length).toBeLessThan(300);
});

test("case B19: a pause that outlives the caller's time is a failure at once, and says busy", async () => {
  const { endpoint, seen } = await fakeHttp((_request, response) => {
    response.writeHead(429, { "retry-after": "60" }).end();
  });
  const client = clientTo(endpoint);
  const first = await failureFrom(() => client.getBranch("r", "main", { timeoutMs: 5000 }));
  const second = await failureFrom(() => client.getBranch("r", "main", { timeoutMs: 5000 }));
  expect(first).toMatchObject({ code: "busy", status: 429 });
  expect(second).toMatchObject({ code: "busy", outcome: "not_sent" });
  expect(seen.length).toBe(1);
});
