import { describe, expect } from "vitest";
import { fc, it, test } from "@fast-check/vitest";
import {
  decidePoll,
  IDLE_POLL_TIMEOUT_MS,
  MAX_POLL_COUNT,
  POLL_BACKOFF_MAX_MS,
  pollBackoffMs,
} from "./poll-decision.ts";

describe("poll decision", () => {
  it("asks for all free slots at once while that brings work", () => {
    expect(decidePoll({ freeSlots: 4, broughtWork: true })).toEqual({ count: 4, timeoutMs: 0 });
  });

  it("asks for one task and waits when idle, because a batch would hold the first task back", () => {
    expect(decidePoll({ freeSlots: 4, broughtWork: false })).toEqual({ count: 1, timeoutMs: 1_000 });
  });

  it("does not poll without a free slot", () => {
    expect(decidePoll({ freeSlots: 0, broughtWork: true })).toBeUndefined();
  });

  test.prop([fc.integer({ min: -3, max: 1_000 }), fc.boolean()])(
    "rule A1: never asks for more than it can run, and never waits longer than 1 s",
    (freeSlots, broughtWork) => {
      const ask = decidePoll({ freeSlots, broughtWork });
      expect(ask === undefined).toBe(freeSlots <= 0);
      if (ask === undefined) return;
      expect(ask.count).toBeGreaterThan(0);
      expect(ask.count).toBeLessThanOrEqual(Math.min(freeSlots, MAX_POLL_COUNT));
      expect(ask.timeoutMs).toBeLessThanOrEqual(IDLE_POLL_TIMEOUT_MS);
    },
  );

  test.prop([fc.integer({ min: 1, max: 100_000 }), fc.double({ min: 0, max: 0.999, noNaN: true })])(
    "case A10: backs off with jitter between half and the whole of a bounded pause",
    (failureCount, random) => {
      const pauseMs = pollBackoffMs(failureCount, random);
      expect(pauseMs).toBeGreaterThanOrEqual(125);
      expect(pauseMs).toBeLessThanOrEqual(POLL_BACKOFF_MAX_MS);
    },
  );
});
