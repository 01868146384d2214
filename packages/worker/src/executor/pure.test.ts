import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { createRedactor } from "../telemetry/redact.ts";
import { afterCrash, NO_CRASHES } from "./backoff.ts";
import { cleanMessage } from "./clean-message.ts";
import { describeEnd } from "./describe-end.ts";
import { scrubEnvironment } from "./environment.ts";
import { childMessageSchema } from "./messages.ts";
import { parseStat } from "./process-table.ts";

describe("afterCrash", () => {
  test("case S03: the first error of a row is kept, the wait grows to 30 s", () => {
    const first = afterCrash(NO_CRASHES, "the cause", 100);
    expect(first).toEqual({ crashCount: 1, notBeforeMs: 1_100, firstError: "the cause" });
    expect(afterCrash(first, "noise", 5_000)).toEqual({ crashCount: 2, notBeforeMs: 7_000, firstError: "the cause" });
  });

  property.prop([fc.nat({ max: 10_000 })])("the wait is never under 1 s nor over 30 s", (crashCount) => {
    const { notBeforeMs } = afterCrash({ crashCount, notBeforeMs: 0 }, "x", 0);
    expect(notBeforeMs).toBeGreaterThanOrEqual(1_000);
    expect(notBeforeMs).toBeLessThanOrEqual(30_000);
  });
});

describe("cleanMessage", () => {
  const context = {
    redactor: createRedactor(["s3cr3t-key"]),
    rootNames: new Set(["home", "tmp", "usr"]),
    workspacePath: "/tmp/ws/a1",
  };
  test.each([
    ["ENOENT: open '/tmp/ws/a1/raw/x.wav'", "ENOENT: open 'raw/x.wav'"],
    ["in /tmp/ws/a1", "in ."],
    ["at file:///home/me/tasks/build.ts:3:4", "at .../build.ts:3:4"],
    ["/usr/lib/x and (/home/me)", ".../x and (.../me)"],
    ["the prefix /audio/render stays", "the prefix /audio/render stays"],
    ["GET https://store/tmp/x?sig=abc", "GET https://store/tmp/x?[redacted]"],
    ["a/home/b is relative", "a/home/b is relative"],
    ["key s3cr3t-key", "key [redacted]"],
  ])("rule R3: %s -> %s", (text, expected) => {
    expect(cleanMessage(text, context, 1_000)).toBe(expected);
  });

  property.prop([fc.string({ maxLength: 5_000 })])("is never longer than asked and always well-formed", (text) => {
    const clean = cleanMessage(text, context, 200);
    expect(clean.length).toBeLessThanOrEqual(200);
  });
});

describe("describeEnd", () => {
  const end = { exitCode: null, signal: null, stderrTail: [] };
  test("rule R5: exit code 0 is no success", () => {
    expect(describeEnd({ ...end, exitCode: 0 })).toContain("without a result");
  });
  test("the most certain cause comes first", () => {
    const all = {
      exitCode: 1,
      signal: null,
      stderrTail: ["heap out of memory"],
      fault: "boom",
      killReason: "cancelled",
    };
    expect(describeEnd(all)).toContain("cancelled");
    const { killReason: _reason, ...unkilled } = all;
    expect(describeEnd(unkilled)).toContain("boom");
    const { fault: _fault, ...unfaulted } = unkilled;
    expect(describeEnd(unfaulted)).toContain("out of memory");
  });
});

describe("what crosses the channel", () => {
  test.each([
    ["a text", "x"],
    ["an unknown type", { type: "merge" }],
    [
      "a result that is no text",
      { type: "outcome", call: 1, outcome: { kind: "returned", resultJson: {}, sizeBytes: 1 } },
    ],
    [
      "a lost outcome, which only the host declares",
      { type: "outcome", call: 1, outcome: { kind: "lost", message: "x" } },
    ],
    ["a log line without bounds", { type: "log", level: "info", message: "x".repeat(100_000), lostCount: 0 }],
    ["a level of its own", { type: "log", level: "fatal", message: "x", lostCount: 0 }],
    ["a NaN", { type: "metric", kind: "gauge", name: "a", value: Number.NaN, labels: {} }],
  ])("the host reads no message of a hostile executor as something else: %s", (_what, message) => {
    expect(childMessageSchema.safeParse(message).success).toBe(false);
  });
});

test("scrubEnvironment keeps what is neither a setting nor a secret, whatever the case of its name", () => {
  const environment = { PATH: "/bin", perago_x: "1", LAKECTL_Y: "2", Node_Options: "3", token: "4", HOME: "/root" };
  expect(scrubEnvironment(environment, ["TOKEN"])).toEqual({ PATH: "/bin", HOME: "/root" });
});

describe("parseStat", () => {
  const tail = (state: string, threads: number) => ` ${state} 1 42 42 0 -1 0 0 0 0 0 0 0 0 0 20 0 ${threads} 0 1 900`;
  test("rule T8: a command name may hold anything; a zombie is gone unless threads of it run", () => {
    expect(parseStat(`7 (a) R 9 9 (b)${tail("S", 1)}`)).toEqual({ isAlive: true, groupId: 42, startTicks: 1 });
    expect(parseStat(`7 (sh)${tail("Z", 1)}`)).toEqual({ isAlive: false, groupId: 42, startTicks: 1 });
    expect(parseStat(`7 (sh)${tail("Z", 3)}`)).toEqual({ isAlive: true, groupId: 42, startTicks: 1 });
    expect(parseStat("nonsense")).toBeUndefined();
  });
});
