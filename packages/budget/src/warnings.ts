import { requiredResponseSeconds } from "./response-timeout.ts";
import type { PublishBudgetFields } from "./schema.ts";

/** How long lakeFS keeps an upload's link address, in seconds (6 h, case B04). */
export const UPLOAD_ADDRESS_LIFE_SECONDS = 21_600;

/** Something to say once at check, extract and start; never an error, never per attempt. */
export interface BudgetWarning {
  readonly code:
    | "publish_budget_ignored_read_only"
    | "response_timeout_below_budget"
    | "publish_budget_above_address_life";
  readonly message: string;
  readonly hint: string;
}

/** Input of `publishBudgetWarnings`. */
export interface BudgetUse {
  readonly budget: PublishBudgetFields;
  /** The task's `timeout.responseSeconds`. */
  readonly responseSeconds: number;
  /** Whether the task's workspace is read-only: then the budget is ignored, and only that is said. */
  readonly readOnly: boolean;
}

/** All warnings about a valid budget in its task. */
export function publishBudgetWarnings({ budget, responseSeconds, readOnly }: BudgetUse): BudgetWarning[] {
  if (readOnly) return [ignoredReadOnly()];
  const warnings: BudgetWarning[] = [];
  const neededSeconds = requiredResponseSeconds(budget);
  if (responseSeconds < neededSeconds) warnings.push(responseTooSmall(budget, responseSeconds, neededSeconds));
  if (neededSeconds > UPLOAD_ADDRESS_LIFE_SECONDS) warnings.push(aboveAddressLife(neededSeconds));
  return warnings;
}

function ignoredReadOnly(): BudgetWarning {
  return {
    code: "publish_budget_ignored_read_only",
    message: "WorkspaceSpec(readOnly=true) disables workspace publication; TaskControls.publishBudget is ignored.",
    hint: "remove publishBudget, or make the workspace writable",
  };
}

function responseTooSmall(budget: PublishBudgetFields, responseSeconds: number, neededSeconds: number): BudgetWarning {
  const parts = [
    `merge ${budget.lakefsMergeTimeoutSeconds}`,
    `completion ${budget.conductorCompletionTimeoutSeconds}`,
    `grace ${budget.workerShutdownGraceSeconds}`,
    `heartbeat ${budget.heartbeatIntervalSeconds}`,
  ];
  const sum = `${parts.join(" + ")} = ${neededSeconds}`;
  return {
    code: "response_timeout_below_budget",
    message: `timeout.responseSeconds ${responseSeconds} is less than the publish budget's ${sum}`,
    hint: `set timeout.responseSeconds to at least ${neededSeconds}, or make the budget smaller`,
  };
}

function aboveAddressLife(neededSeconds: number): BudgetWarning {
  const life = `${UPLOAD_ADDRESS_LIFE_SECONDS} s (6 h)`;
  return {
    code: "publish_budget_above_address_life",
    message: `the publish budget of ${neededSeconds} s exceeds the ${life} for which lakeFS keeps an upload's address`,
    hint: `keep merge + completion + grace + heartbeat at or below ${UPLOAD_ADDRESS_LIFE_SECONDS} s`,
  };
}
