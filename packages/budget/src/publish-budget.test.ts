import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { parsePublishBudget, PublishBudget, PublishBudgetError } from "./publish-budget.ts";
import { publishBudgetSchema, type PublishBudgetFields } from "./schema.ts";

const example: PublishBudgetFields = {
  observedMergeP99Seconds: 20,
  safetyMarginSeconds: 10,
  lakefsMergeTimeoutSeconds: 45,
  conductorCompletionTimeoutSeconds: 15,
  workerShutdownGraceSeconds: 30,
  heartbeatIntervalSeconds: 10,
};
const names = Object.keys(example);

function findings(input: unknown) {
  const parsed = parsePublishBudget(input);
  return parsed.ok ? [] : parsed.findings;
}

function thrown(fields: PublishBudgetFields): PublishBudgetError {
  try {
    new PublishBudget(fields);
  } catch (error) {
    if (error instanceof PublishBudgetError) return error;
    throw error;
  }
  throw new Error("the budget was accepted");
}

describe("PublishBudget", () => {
  test("holds the six fields and nothing else, frozen", () => {
    const budget = new PublishBudget(example);
    expect({ ...budget }).toEqual(example);
    expect(Object.isFrozen(budget)).toBe(true);
    expect(Reflect.set(budget, "lakefsMergeTimeoutSeconds", 1)).toBe(false);
    expect(budget.lakefsMergeTimeoutSeconds).toBe(45);
  });

  test("takes another budget as its fields", () => {
    expect({ ...new PublishBudget(new PublishBudget(example)) }).toEqual(example);
  });

  test("refuses a merge timeout of 29 with 20 + 10 and accepts 30, naming the numbers", () => {
    const error = thrown({ ...example, lakefsMergeTimeoutSeconds: 29 });
    expect(error.findings).toEqual([
      {
        path: "lakefsMergeTimeoutSeconds",
        code: "budget_merge_timeout_too_small",
        message: "lakefsMergeTimeoutSeconds 29 is less than observedMergeP99Seconds 20 + safetyMarginSeconds 10 = 30",
        hint: "set lakefsMergeTimeoutSeconds to at least 30",
      },
    ]);
    expect(error.message).toContain("29 is less than");
    expect(new PublishBudget({ ...example, lakefsMergeTimeoutSeconds: 30 }).lakefsMergeTimeoutSeconds).toBe(30);
  });

  test("throws every finding at once", () => {
    const input = {
      ...example,
      lakefsMergeTimeoutSeconds: 29,
      heartbeatIntervalSeconds: 0,
      workerShutdownGraceSeconds: 1.5,
      exactOnce: true,
    };
    const found = thrown(input).findings.map(({ path, code }) => `${path} ${code}`);
    expect(found.toSorted()).toEqual([
      "exactOnce budget_field_unknown",
      "heartbeatIntervalSeconds budget_field_too_small",
      "lakefsMergeTimeoutSeconds budget_merge_timeout_too_small",
      "workerShutdownGraceSeconds budget_field_not_whole_seconds",
    ]);
  });

  test.each(names)("requires %s", (name) => {
    const input = Object.fromEntries(Object.entries(example).filter(([key]) => key !== name));
    expect(findings(input)).toMatchObject([{ path: name, code: "budget_field_missing" }]);
  });

  test.each([
    ["text", "45"],
    ["half a second", 45.5],
    ["null", null],
    ["NaN", Number.NaN],
    ["Infinity", Number.POSITIVE_INFINITY],
    ["a number that no float holds exactly", 2 ** 53],
  ])("refuses %s where whole seconds are wanted", (_, value) => {
    expect(findings({ ...example, conductorCompletionTimeoutSeconds: value })).toMatchObject([
      { path: "conductorCompletionTimeoutSeconds", code: "budget_field_not_whole_seconds" },
    ]);
  });

  test.each([undefined, null, 5, "45", [], () => example])("refuses %s as a whole budget", (input) => {
    expect(findings(input)).toMatchObject([{ path: "", code: "budget_not_an_object" }]);
  });

  test("zero is allowed for the observed latency and the margin, and nowhere else", () => {
    const zeros = Object.fromEntries(names.map((name) => [name, 0]));
    expect(findings(zeros).map(({ path }) => path)).toEqual(names.slice(2));
    expect(findings({ ...example, observedMergeP99Seconds: -1 })).toMatchObject([
      { path: "observedMergeP99Seconds", code: "budget_field_too_small" },
    ]);
  });

  test("an own key named __proto__ is an unknown field, not a way around", () => {
    const input: unknown = JSON.parse(JSON.stringify(example).replace("{", '{"__proto__":{"a":1},'));
    expect(findings(input)).toMatchObject([{ path: "__proto__", code: "budget_field_unknown" }]);
  });

  test("a finding shows numbers but never the text that stood in a field", () => {
    expect(JSON.stringify(findings({ ...example, safetyMarginSeconds: "hunter2" }))).not.toContain("hunter2");
  });

  test("the schema alone refuses what the class refuses", () => {
    expect(publishBudgetSchema.safeParse(example).success).toBe(true);
    expect(publishBudgetSchema.safeParse({ ...example, lakefsMergeTimeoutSeconds: 29 }).success).toBe(false);
    expect(publishBudgetSchema.safeParse({ ...example, exactOnce: true }).success).toBe(false);
  });
});

const seconds = fc.integer({ min: 0, max: 100_000 });

property.prop([seconds, seconds, seconds])(
  "merge timeout >= p99 + margin is the exact border",
  (p99, margin, timeout) => {
    const fields = {
      ...example,
      observedMergeP99Seconds: p99,
      safetyMarginSeconds: margin,
      lakefsMergeTimeoutSeconds: timeout,
    };
    expect(parsePublishBudget(fields).ok).toBe(timeout >= 1 && timeout >= p99 + margin);
  },
);

property.prop([fc.anything()])("parsing never throws, and every finding has all four texts", (input) => {
  for (const finding of findings(input)) {
    expect(finding.message.length).toBeGreaterThan(0);
    expect(finding.hint.length).toBeGreaterThan(0);
  }
});

property.prop([fc.record(Object.fromEntries(names.map((name) => [name, fc.anything()])))])(
  "what is not accepted has a finding, whatever stands in the six fields",
  (input) => {
    const parsed = parsePublishBudget(input);
    expect(parsed.ok || parsed.findings.length > 0).toBe(true);
  },
);
