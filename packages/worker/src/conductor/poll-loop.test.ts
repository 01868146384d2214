import { afterEach, describe, expect, it } from "vitest";
import { createConductorHttp } from "./http.ts";
import { pollTasks, type PollAnswer } from "./poll.ts";
import { startPollLoop, type PollLoopOptions } from "./poll-loop.ts";
import type { PollAsk } from "./poll-decision.ts";
import { createFakeClock } from "./testing/fake-clock.ts";
import { startFakeEngine, wireTask, type FakeEngine } from "./testing/fake-engine.ts";
import { eventually } from "./testing/eventually.ts";
import { systemClock } from "../system-clock.ts";

let server: FakeEngine | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const nothing: PollAnswer = { tasks: [], unreadable: [] };

function options(changes: Partial<PollLoopOptions> & Pick<PollLoopOptions, "clock" | "poll">): PollLoopOptions {
  return {
    freeSlots: () => 4,
    slotFree: async () => {},
    holdReason: async () => undefined,
    onAnswer() {},
    onFailure() {},
    onHold() {},
    random: () => 0.5,
    ...changes,
  };
}

describe("poll loop", () => {
  it("case R11: stop awaits the open poll and hands over what it brings", async () => {
    const gate = Promise.withResolvers<void>();
    server = await startFakeEngine(async (request) => {
      if (request.query.get("timeout") === "0") return { json: [] };
      await gate.promise;
      return { json: [wireTask()] };
    });
    const http = createConductorHttp({ serverUrl: server.url });
    const brought: string[] = [];
    const loop = startPollLoop(
      options({
        clock: systemClock,
        poll: (ask) => pollTasks(http, systemClock, { ...ask, taskName: "features.build", workerId: "w" }),
        onAnswer: (answer) => brought.push(...answer.tasks.map((task) => task.polled.taskId)),
      }),
    );
    await eventually("the waiting poll is open", () => server?.requests.length === 2);
    let stopped = false;
    const stop = loop.stop().then(() => {
      stopped = true;
    });
    expect(stopped).toBe(false);
    gate.resolve();
    await stop;
    expect(brought).toEqual(["task-1"]);
    expect(server.requests).toHaveLength(2);
    expect(loop.health()).toEqual({ state: "stopped" });
  });

  it("polls for all free slots while that brings work, and for one, waiting, when idle", async () => {
    const queued = [wireTask({ taskId: "a" }), wireTask({ taskId: "b" })];
    server = await startFakeEngine((request) =>
      request.query.get("timeout") === "0" ? { json: queued.splice(0) } : "hang",
    );
    const http = createConductorHttp({ serverUrl: server.url });
    const loop = startPollLoop(
      options({
        clock: systemClock,
        poll: (ask) =>
          pollTasks(http, systemClock, { ...ask, taskName: "features.build", workerId: "w", domain: "d 1" }),
      }),
    );
    await eventually("three polls", () => (server?.requests.length ?? 0) >= 3);
    expect(server.requests.map((request) => request.url)).toEqual([
      "/api/tasks/poll/batch/features.build?workerid=w&count=4&timeout=0&domain=d+1",
      "/api/tasks/poll/batch/features.build?workerid=w&count=4&timeout=0&domain=d+1",
      "/api/tasks/poll/batch/features.build?workerid=w&count=1&timeout=1000&domain=d+1",
    ]);
    const stopped = loop.stop();
    await server.close();
    await stopped;
  });

  it("case A10, fault E5: failed polls back off, and a good one starts afresh", async () => {
    const clock = createFakeClock();
    const polledAtMs: number[] = [];
    let down = true;
    const loop = startPollLoop(
      options({
        clock,
        async poll() {
          polledAtMs.push(clock.nowMs() - 1_000_000);
          if (down) throw new Error("down");
          await clock.wait(1_000);
          return nothing;
        },
      }),
    );
    await clock.advance(120_000);
    // 12 polls in the first minutes instead of thousands.
    expect(polledAtMs.slice(0, 5)).toEqual([0, 187.5, 562.5, 1312.5, 2812.5]);
    expect(polledAtMs.length).toBeLessThan(25);
    expect(loop.health()).toMatchObject({ state: "silent" });
    down = false;
    await clock.advance(11_000);
    expect(loop.health()).toEqual({ state: "ok" });
    const stopped = loop.stop();
    await clock.advance(1_000);
    await stopped;
  });

  it("does not poll while it is held back, and says why", async () => {
    const clock = createFakeClock();
    const asks: PollAsk[] = [];
    const reasons: string[] = [];
    let full: string | undefined = "disk";
    const loop = startPollLoop(
      options({
        clock,
        holdReason: async () => full,
        onHold: (reason) => reasons.push(reason),
        async poll(ask) {
          asks.push(ask);
          await clock.wait(1_000);
          return nothing;
        },
      }),
    );
    await clock.advance(20_000);
    expect(asks).toEqual([]);
    expect(reasons.length).toBeGreaterThan(2);
    full = undefined;
    await clock.advance(6_000);
    expect(asks.length).toBeGreaterThan(0);
    const stopped = loop.stop();
    await clock.advance(1_000);
    await stopped;
  });

  it("does not poll without a free slot, and stops while it waits for one", async () => {
    const clock = createFakeClock();
    let polls = 0;
    const loop = startPollLoop(
      options({
        clock,
        freeSlots: () => 0,
        slotFree: (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
        async poll() {
          polls += 1;
          return nothing;
        },
      }),
    );
    await clock.advance(10_000);
    expect(loop.health()).toEqual({ state: "full" });
    await loop.stop();
    expect(polls).toBe(0);
  });
});
