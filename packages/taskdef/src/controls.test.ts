import { fc, test as property } from "@fast-check/vitest";
import { PublishBudget } from "@perago/budget";
import { describe, expect, test } from "vitest";
import { checkControls, type PublishingMode } from "./controls.ts";

const budget = {
  observedMergeP99Seconds: 20,
  safetyMarginSeconds: 10,
  lakefsMergeTimeoutSeconds: 45,
  conductorCompletionTimeoutSeconds: 15,
  workerShutdownGraceSeconds: 30,
  heartbeatIntervalSeconds: 10,
};
const limited = { seconds: 3600 };

const errors = (input: unknown, mode: PublishingMode = "writable"): string[] =>
  checkControls(input, mode)
    .findings.filter(({ severity }) => severity === "error")
    .map(({ path, code }) => `${path}: ${code}`);
const warnings = (input: unknown, mode: PublishingMode = "writable"): string[] =>
  checkControls(input, mode)
    .findings.filter(({ severity }) => severity === "warning")
    .map(({ code }) => code);

describe("defaults and ranges of the mapping table", () => {
  test("nothing said means the documented defaults", () => {
    expect(checkControls(undefined, "none").controls).toEqual({
      retry: { count: 3, logic: "FIXED", delaySeconds: 60, maxDelaySeconds: 0, backoffJitterMs: 0 },
      timeout: { policy: "TIME_OUT_WF", seconds: 0, responseSeconds: 600, totalSeconds: 0 },
      limits: {},
    });
    expect(checkControls({ retry: {}, timeout: {}, limits: {} }, "none")).toEqual(checkControls({}, "none"));
  });

  test("values at the border are accepted and kept", () => {
    const controls = {
      retry: { count: 10, logic: "EXPONENTIAL_BACKOFF", delaySeconds: 0, maxDelaySeconds: 5, backoffJitterMs: 9 },
      timeout: { policy: "RETRY", seconds: 1, responseSeconds: 1, pollSeconds: 60, totalSeconds: 1 },
      limits: { concurrentExecutions: 1, rateLimit: { perFrequency: 1, frequencySeconds: 1 } },
    };
    expect(checkControls(controls, "none")).toEqual({ controls, findings: [] });
  });

  test.each([
    [{ retry: { count: -1 } }, "controls.retry.count: invalid_value"],
    [{ retry: { count: 11 } }, "controls.retry.count: invalid_value"],
    [{ retry: { count: null } }, "controls.retry.count: null_value"],
    [{ retry: { logic: "RANDOM" } }, "controls.retry.logic: invalid_value"],
    [{ retry: { delaySeconds: 1.5 } }, "controls.retry.delaySeconds: invalid_value"],
    [{ retry: { delaySeconds: "60" } }, "controls.retry.delaySeconds: invalid_value"],
    [{ retry: { backoffJitterMs: 2 ** 31 } }, "controls.retry.backoffJitterMs: invalid_value"],
    [{ retry: 3 }, "controls.retry: invalid_value"],
    [{ timeout: { policy: "NEVER" } }, "controls.timeout.policy: invalid_value"],
    [{ timeout: { pollSeconds: -1 } }, "controls.timeout.pollSeconds: invalid_value"],
    [{ timeout: { retrySeconds: 1 } }, "controls.timeout.retrySeconds: unknown_field"],
    [{ limits: { concurrentExecutions: 0 } }, "controls.limits.concurrentExecutions: invalid_value"],
    [{ limits: { rateLimit: { perFrequency: 1 } } }, "controls.limits.rateLimit.frequencySeconds: missing_field"],
    [{ limits: { rateLimit: { frequencySeconds: 1 } } }, "controls.limits.rateLimit.perFrequency: missing_field"],
    [{ exactOnce: true }, "controls.exactOnce: unknown_field"],
    ["fast", "controls: invalid_value"],
  ])("%j is refused with its path", (input, finding) => {
    expect(errors(input)).toEqual([finding]);
  });

  test("a finding says what is allowed, and for an unknown field what is known", () => {
    const { findings } = checkControls({ retry: { count: 11, cuont: 1 }, timeout: limited }, "none");
    expect(findings.map(({ hint }) => hint)).toEqual([
      "Allowed: retries after the first attempt, 0 to 10.",
      "Known here: count, logic, delaySeconds, maxDelaySeconds, backoffJitterMs.",
    ]);
    expect(findings[0]?.message).toContain("controls.retry.count is 11");
  });

  property.prop([fc.anything()])("anything at all gives findings or controls, and never throws", (input) => {
    const { controls } = checkControls(input, "writable");
    expect(controls.retry.count).toBeGreaterThanOrEqual(0);
  });
});

describe("time-outs that Conductor refuses are found offline", () => {
  test("case C01: a response timeout is whole and at least 1 s; 0.2 s is refused, 1 s and 90 s are accepted", () => {
    expect(errors({ timeout: { responseSeconds: 0 } })).toEqual(["controls.timeout.responseSeconds: invalid_value"]);
    expect(errors({ timeout: { responseSeconds: 0.2 } })).toEqual(["controls.timeout.responseSeconds: invalid_value"]);
    for (const responseSeconds of [1, 90]) expect(errors({ timeout: { responseSeconds } })).toEqual([]);
  });

  test.each([
    [{ responseSeconds: 10, seconds: 10 }, []],
    [{ responseSeconds: 11, seconds: 10 }, ["controls.timeout.responseSeconds: response_over_timeout"]],
    [{ responseSeconds: 11, seconds: 0 }, []],
    [{ seconds: 599 }, ["controls.timeout.responseSeconds: response_over_timeout"]],
    [{ seconds: 600 }, []],
    [{ seconds: 700, totalSeconds: 700 }, []],
    [{ seconds: 701, totalSeconds: 700 }, ["controls.timeout.seconds: timeout_over_total"]],
    [{ seconds: 701, totalSeconds: 0 }, []],
    [{ seconds: 0, totalSeconds: 700 }, []],
    [
      { responseSeconds: 9, seconds: 8, totalSeconds: 7 },
      ["controls.timeout.responseSeconds: response_over_timeout", "controls.timeout.seconds: timeout_over_total"],
    ],
  ])("case C02: %j is judged as Conductor does, 0 meaning none", (timeout, expected) => {
    expect(errors({ timeout })).toEqual(expected);
  });

  test("case C02: both numbers are named", () => {
    const { findings } = checkControls({ timeout: { seconds: 599, totalSeconds: 7 } }, "none");
    expect(findings[0]?.message).toMatch(/600 .* 599/);
    expect(findings[1]?.message).toMatch(/599 .* 7/);
  });

  test("case C12: a poll timeout below a usual queue wait warns; none, 0 and a minute do not", () => {
    expect(warnings({ timeout: { ...limited, pollSeconds: 30 } })).toEqual(["poll_timeout_short"]);
    for (const pollSeconds of [undefined, 0, 60])
      expect(warnings({ timeout: { ...limited, pollSeconds } })).toEqual([]);
  });

  test("rule A5: without a time limit there is one warning that a hung body would live for ever", () => {
    expect(warnings({})).toEqual(["body_time_unlimited"]);
    expect(warnings({ timeout: limited })).toEqual([]);
    expect(checkControls({}, "none").findings[0]?.message).toContain("live for ever");
  });
});

describe("the publish budget", () => {
  test("a good budget is kept on a writable workspace, as fields or as a PublishBudget", () => {
    for (const publishBudget of [budget, new PublishBudget(budget)]) {
      const checked = checkControls({ timeout: limited, publishBudget }, "writable");
      expect(checked.findings).toEqual([]);
      expect(checked.controls.publishBudget).toEqual(new PublishBudget(budget));
    }
  });

  test("a merge timeout of 29 with 20 + 10 is refused, 30 is accepted, an unknown field is refused", () => {
    const withMerge = (lakefsMergeTimeoutSeconds: number) => ({
      publishBudget: { ...budget, lakefsMergeTimeoutSeconds },
    });
    expect(errors(withMerge(29))).toHaveLength(1);
    expect(errors(withMerge(30))).toEqual([]);
    expect(errors({ publishBudget: { ...budget, exactOnce: true } })[0]).toContain("controls.publishBudget.exactOnce");
  });

  test("a budget on a workspace-free task is an error", () => {
    expect(errors({ publishBudget: budget }, "none")).toEqual(["controls.publishBudget: budget_without_workspace"]);
    expect(checkControls({ publishBudget: budget }, "none").controls.publishBudget).toBeUndefined();
  });

  test("on a read-only workspace it is ignored, with exactly one warning", () => {
    const checked = checkControls({ timeout: { ...limited, responseSeconds: 1 }, publishBudget: budget }, "readOnly");
    expect(checked.controls.publishBudget).toBeUndefined();
    expect(checked.findings.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
      "warning: WorkspaceSpec(readOnly=true) disables workspace publication; TaskControls.publishBudget is ignored.",
    ]);
  });

  test("a response timeout below the budget's sum warns and changes nothing", () => {
    const checked = checkControls({ timeout: { ...limited, responseSeconds: 99 }, publishBudget: budget }, "writable");
    expect(checked.findings.map(({ severity }) => severity)).toEqual(["warning"]);
    expect(checked.findings[0]?.message).toMatch(/99.*100/);
    expect(checked.controls.timeout.responseSeconds).toBe(99);
    expect(warnings({ timeout: { ...limited, responseSeconds: 100 }, publishBudget: budget })).toEqual([]);
  });
});
