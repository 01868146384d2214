import type { z } from "zod";
import type { BudgetFinding } from "./finding.ts";
import { mergeShortfall, valueAt, type MergeShortfall } from "./schema.ts";

/** Turns what zod found into findings that name the field and the mend. `input` is the value that was checked. */
export function findingsOf(input: unknown, issues: readonly z.core.$ZodIssue[]): BudgetFinding[] {
  const found = issues.flatMap((issue) => findingsOfIssue(input, issue));
  const shortfall = mergeShortfall(input);
  return shortfall === undefined ? found : [...found, mergeTooSmall(shortfall)];
}

function findingsOfIssue(input: unknown, issue: z.core.$ZodIssue): BudgetFinding[] {
  const path = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") return issue.keys.map(unknownField);
  if (path === "") return [notAnObject()];
  // The one custom rule is looked at here, because zod leaves it out where any field is wrong.
  if (issue.code === "custom") return [];
  if (issue.code === "too_small") return [tooSmall(path, valueAt(input, path), Number(issue.minimum))];
  const value = valueAt(input, path);
  return [value === undefined ? missing(path) : notWhole(path, value)];
}

function unknownField(path: string): BudgetFinding {
  return {
    path,
    code: "budget_field_unknown",
    message: `${path} is no field of a publish budget`,
    hint: `remove ${path}; a budget is six times in seconds and promises nothing else`,
  };
}

function notAnObject(): BudgetFinding {
  return {
    path: "",
    code: "budget_not_an_object",
    message: "the publish budget is not an object",
    hint: "give an object with the six fields of PublishBudget",
  };
}

function mergeTooSmall({ timeoutSeconds, p99Seconds, marginSeconds }: MergeShortfall): BudgetFinding {
  const path = "lakefsMergeTimeoutSeconds";
  const neededSeconds = p99Seconds + marginSeconds;
  const sum = `observedMergeP99Seconds ${p99Seconds} + safetyMarginSeconds ${marginSeconds} = ${neededSeconds}`;
  return {
    path,
    code: "budget_merge_timeout_too_small",
    message: `${path} ${timeoutSeconds} is less than ${sum}`,
    hint: `set ${path} to at least ${neededSeconds}`,
  };
}

function tooSmall(path: string, value: unknown, minimum: number): BudgetFinding {
  return {
    path,
    code: "budget_field_too_small",
    message: `${path} is ${shown(value)}, less than ${minimum}`,
    hint: `set ${path} to at least ${minimum}`,
  };
}

function missing(path: string): BudgetFinding {
  return {
    path,
    code: "budget_field_missing",
    message: `${path} is missing`,
    hint: `add ${path} in whole seconds; all six fields are required`,
  };
}

function notWhole(path: string, value: unknown): BudgetFinding {
  return {
    path,
    code: "budget_field_not_whole_seconds",
    message: `${path} is ${shown(value)}, not a number of whole seconds`,
    hint: `give ${path} as a whole number of seconds`,
  };
}

/** Numbers are shown, of everything else only its kind: it may be anything. */
function shown(value: unknown): string {
  if (typeof value === "number") return String(value);
  return value === null ? "null" : `a ${typeof value}`;
}
