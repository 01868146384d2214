import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { watchEventLoop, type EventLoopDelay } from "./event-loop.ts";

const BLOCK_MS = 300;

describe("the event loop's delay", () => {
  it("shows a stretch in which nothing else could run, and tells the window once", async () => {
    const windows: EventLoopDelay[] = [];
    const watch = watchEventLoop((window) => windows.push(window), 60_000);
    await pause(60);
    block(BLOCK_MS);
    await pause(60);
    watch.close();
    expect(windows).toHaveLength(1);
    expect(windows[0]?.maxSeconds).toBeGreaterThan(0.2);
    expect(windows[0]?.p50Seconds).toBeLessThan(windows[0]?.maxSeconds ?? 0);
    expect(watch.last()).toEqual(windows[0]);
  });

  it("does not count the time between two samples", async () => {
    const windows: EventLoopDelay[] = [];
    const watch = watchEventLoop((window) => windows.push(window), 60_000);
    await pause(200);
    watch.close();
    expect(windows[0]?.p50Seconds).toBeLessThan(0.015);
  });

  it("is told window by window", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const windows: EventLoopDelay[] = [];
    const watch = watchEventLoop((window) => {
      if (windows.push(window) === 2) resolve();
    }, 80);
    await promise;
    watch.close();
    expect(windows.length).toBeGreaterThanOrEqual(2);
  });
});

function block(durationMs: number): void {
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs);
}
