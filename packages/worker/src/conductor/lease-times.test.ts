import { describe, expect } from "vitest";
import { fc, it, test } from "@fast-check/vitest";
import { leaseTimes, needsHeartbeatFirst } from "./lease-times.ts";

describe("lease times", () => {
  it("the cadence is the budget's interval or a third of the lease, whichever is less", () => {
    expect(leaseTimes({ responseTimeoutSeconds: 600, heartbeatIntervalSeconds: 10 }).cadenceMs).toBe(10_000);
    expect(leaseTimes({ responseTimeoutSeconds: 15, heartbeatIntervalSeconds: 10 }).cadenceMs).toBe(5_000);
    expect(leaseTimes({ responseTimeoutSeconds: 600 }).cadenceMs).toBe(200_000);
  });

  test.prop([fc.integer({ min: 0, max: 2 ** 31 }), fc.option(fc.integer({ min: 1, max: 10_000 }), { nil: undefined })])(
    "rule A1: two heartbeats and a time limit fit into every lease of a second or more, and no wait overflows a timer",
    (responseTimeoutSeconds, heartbeatIntervalSeconds) => {
      const times = leaseTimes({
        responseTimeoutSeconds,
        ...(heartbeatIntervalSeconds === undefined ? {} : { heartbeatIntervalSeconds }),
      });
      expect(times.cadenceMs).toBeGreaterThan(0);
      expect(times.cadenceMs).toBeLessThan(2 ** 31);
      expect(times.retryMs).toBeLessThanOrEqual(times.cadenceMs);
      expect(times.cadenceMs + times.heartbeatTimeoutMs).toBeLessThan(times.leaseMs);
    },
  );

  test.prop([fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 0, max: 1_000 })])(
    "a heartbeat goes first exactly where less than two thirds of the lease is left",
    (leaseSeconds, usedMs) => {
      const leaseMs = leaseSeconds * 1_000;
      const first = needsHeartbeatFirst({ nowMs: usedMs, deadlineMs: leaseMs, leaseMs });
      expect(first).toBe(usedMs > leaseMs / 3);
    },
  );
});
