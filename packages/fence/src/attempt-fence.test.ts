import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { checkAttempt, classifyReadBack, mayReport, type AttemptIdentity } from "./attempt-fence.ts";

const held: AttemptIdentity = {
  workflowInstanceId: "wf",
  taskId: "task",
  retryCount: 0,
  scheduledTime: 1,
  pollCount: 1,
  workerId: "w",
};
const small = fc.nat({ max: 1 });
const read = fc.record({
  workflowInstanceId: fc.constantFrom("wf", "wf2"),
  taskId: fc.constantFrom("task", "task2"),
  retryCount: small,
  scheduledTime: small,
  pollCount: small,
  workerId: fc.constantFrom("w", "w2"),
  status: fc.constantFrom("IN_PROGRESS", "SCHEDULED", "COMPLETED", "TIMED_OUT"),
});
const current = { ...held, status: "IN_PROGRESS" };

describe("attempt fence", () => {
  property.prop([read, fc.nat({ max: 20 })])(
    "rule A1: current means equal in all six fields, in progress, and within the lease",
    (answer, nowMs) => {
      const same = JSON.stringify({ ...answer }) === JSON.stringify(current);
      const verdict = checkAttempt({ held, read: answer, nowMs, leaseDeadlineMs: 10 });
      expect(verdict.verdict === "current").toBe(same && nowMs < 10);
    },
  );

  property.prop([read, fc.nat({ max: 20 }), fc.constantFrom("failed" as const, "terminal" as const)])(
    "rule A3: where another execution holds the attempt no failure may be reported (rule R8)",
    (answer, nowMs, outcome) => {
      const verdict = checkAttempt({ held, read: answer, nowMs, leaseDeadlineMs: 10 });
      if (verdict.verdict === "held_elsewhere") {
        expect(mayReport({ held, read: answer, outcome }).send).toBe(false);
      }
    },
  );

  test("rule A1: a clock that gives no number is past the deadline", () => {
    const verdict = checkAttempt({ held, read: current, nowMs: Number.NaN, leaseDeadlineMs: 10 });
    expect(verdict).toEqual({ verdict: "stale", reason: "lease_expired" });
  });
});

describe("reports", () => {
  property.prop([read])("rule R8: a result without an own commit needs the current holder", (answer) => {
    const holder = JSON.stringify({ ...answer }) === JSON.stringify(current);
    for (const outcome of ["completed_without_commit", "failed", "terminal"] as const) {
      expect(mayReport({ held, read: answer, outcome }).send).toBe(holder);
    }
  });

  property.prop([read])("rule R8: an own commit needs this delivery in progress, by whatever poll", (answer) => {
    const delivery = JSON.stringify({ ...answer, pollCount: 1, workerId: "w" }) === JSON.stringify(current);
    expect(mayReport({ held, read: answer, outcome: "completed_with_commit" }).send).toBe(delivery);
  });

  property.prop([read, fc.boolean()])(
    "rule R6: accepted only where this delivery has the reported status",
    (answer, sameOutput) => {
      const back = classifyReadBack({ held, read: answer, reported: "COMPLETED", sameOutput });
      const delivery =
        JSON.stringify({ ...answer, status: "", pollCount: 1, workerId: "w" }) ===
        JSON.stringify({ ...held, status: "" });
      expect(back.result === "accepted").toBe(delivery && answer.status === "COMPLETED" && sameOutput);
    },
  );
});
