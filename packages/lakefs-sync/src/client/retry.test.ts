import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { defaultRetryPolicy, nextDelayMs, parseRetryAfter } from "./retry.ts";

test("case B19: Retry-After is read as seconds or as a date, and nonsense is nothing", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  expect(parseRetryAfter("3", now)).toBe(3000);
  expect(parseRetryAfter("Thu, 01 Jan 2026 00:00:05 GMT", now)).toBe(5000);
  expect(parseRetryAfter("Wed, 31 Dec 2025 00:00:00 GMT", now)).toBe(0);
  expect(parseRetryAfter("soon", now)).toBeUndefined();
  expect(parseRetryAfter(undefined, now)).toBeUndefined();
});

property.prop([
  fc.integer({ min: 1, max: 30 }),
  fc.option(fc.integer({ min: 0, max: 600_000 }), { nil: undefined }),
  fc.integer({ min: 0, max: 600_000 }),
  fc.double({ min: 0, max: 0.999, noNaN: true }),
])(
  "case B19: a wait is bounded, obeys Retry-After, and never outlives the deadline",
  (tryNumber, asked, remainingMs, random) => {
    const failed = asked === undefined ? { tryNumber, remainingMs } : { tryNumber, remainingMs, retryAfterMs: asked };
    const waitMs = nextDelayMs(defaultRetryPolicy, failed, random);
    if (waitMs === undefined) return;
    expect(tryNumber).toBeLessThan(defaultRetryPolicy.tryCount);
    expect(waitMs).toBeLessThan(remainingMs);
    expect(waitMs).toBeLessThanOrEqual(defaultRetryPolicy.maxRetryAfterMs + defaultRetryPolicy.maxDelayMs);
    expect(waitMs).toBeGreaterThanOrEqual(Math.min(asked ?? 0, defaultRetryPolicy.maxRetryAfterMs));
  },
);

test("case B19: two hosts with other dice do not come back together", () => {
  const failed = { tryNumber: 4, remainingMs: 60_000 };
  expect(nextDelayMs(defaultRetryPolicy, failed, 0.1)).not.toBe(nextDelayMs(defaultRetryPolicy, failed, 0.9));
});
