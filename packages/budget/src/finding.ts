/** One thing that is wrong with a budget, or worth a warning. */
export interface BudgetFinding {
  /** The field's name; empty where the whole value is meant. */
  readonly path: string;
  readonly code: BudgetFindingCode;
  /** Names the field and the numbers. */
  readonly message: string;
  /** The mend. */
  readonly hint: string;
}

/** What can be wrong. */
export type BudgetFindingCode =
  | "budget_not_an_object"
  | "budget_field_missing"
  | "budget_field_unknown"
  | "budget_field_not_whole_seconds"
  | "budget_field_too_small"
  | "budget_merge_timeout_too_small";
