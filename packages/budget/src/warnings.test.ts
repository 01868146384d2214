import { describe, expect, test } from "vitest";
import { requiredResponseSeconds } from "./response-timeout.ts";
import { publishBudgetWarnings, UPLOAD_ADDRESS_LIFE_SECONDS } from "./warnings.ts";

const budget = {
  observedMergeP99Seconds: 20,
  safetyMarginSeconds: 10,
  lakefsMergeTimeoutSeconds: 45,
  conductorCompletionTimeoutSeconds: 15,
  workerShutdownGraceSeconds: 30,
  heartbeatIntervalSeconds: 10,
};

describe("response timeout", () => {
  test("45 + 15 + 30 + 10 needs 100 seconds", () => {
    expect(requiredResponseSeconds(budget)).toBe(100);
  });

  test("fault F3: one second less warns with the numbers, the sum itself does not", () => {
    expect(publishBudgetWarnings({ budget, responseSeconds: 99, readOnly: false })).toEqual([
      {
        code: "response_timeout_below_budget",
        message:
          "timeout.responseSeconds 99 is less than the publish budget's " +
          "merge 45 + completion 15 + grace 30 + heartbeat 10 = 100",
        hint: "set timeout.responseSeconds to at least 100, or make the budget smaller",
      },
    ]);
    expect(publishBudgetWarnings({ budget, responseSeconds: 100, readOnly: false })).toEqual([]);
  });
});

describe("read-only workspace", () => {
  test("one warning in these words, and no other about a budget that is ignored", () => {
    const [warning, ...others] = publishBudgetWarnings({ budget, responseSeconds: 1, readOnly: true });
    expect(warning?.message).toBe(
      "WorkspaceSpec(readOnly=true) disables workspace publication; TaskControls.publishBudget is ignored.",
    );
    expect(others).toEqual([]);
  });
});

describe("case B04", () => {
  const mergeSeconds = UPLOAD_ADDRESS_LIFE_SECONDS - 55;

  test("case B04: a budget above lakeFS' 6 hours warns", () => {
    const above = { ...budget, lakefsMergeTimeoutSeconds: mergeSeconds + 1 };
    const warnings = publishBudgetWarnings({ budget: above, responseSeconds: 30_000, readOnly: false });
    expect(warnings.map(({ code }) => code)).toEqual(["publish_budget_above_address_life"]);
    expect(warnings[0]?.message).toContain("21601 s exceeds the 21600 s (6 h)");
  });

  test("case B04: a budget of exactly 6 hours does not", () => {
    const exact = { ...budget, lakefsMergeTimeoutSeconds: mergeSeconds };
    expect(publishBudgetWarnings({ budget: exact, responseSeconds: 30_000, readOnly: false })).toEqual([]);
  });
});
