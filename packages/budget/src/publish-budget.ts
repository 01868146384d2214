import type { BudgetFinding } from "./finding.ts";
import { findingsOf } from "./findings-of.ts";
import { publishBudgetSchema, type PublishBudgetFields } from "./schema.ts";

/** A budget that cannot hold; carries every finding. */
export class PublishBudgetError extends Error {
  readonly code: "publish_budget_invalid" = "publish_budget_invalid";
  readonly findings: readonly BudgetFinding[];
  /** The mends of all findings. */
  readonly hint: string;

  constructor(findings: readonly BudgetFinding[]) {
    super(`publish budget refused: ${findings.map((finding) => finding.message).join("; ")}`);
    this.name = "PublishBudgetError";
    this.findings = Object.freeze([...findings]);
    this.hint = findings.map((finding) => finding.hint).join("; ");
  }
}

/**
 * The operational time budget of one publication, immutable. It bounds requests (rules C4 and R4); it is no quota of
 * changed objects and promises nothing about how often something happens. Throws `PublishBudgetError` with all
 * findings.
 */
export class PublishBudget implements PublishBudgetFields {
  /** Observed 99th percentile of the merge request, the time of lakeFS' pre-merge hooks in it (case L11), >= 0. */
  readonly observedMergeP99Seconds: number;
  /** Added to it for bad days, >= 0. */
  readonly safetyMarginSeconds: number;
  /** Bounds the merge request (rule C4), >= 1. */
  readonly lakefsMergeTimeoutSeconds: number;
  /** Bounds each request that reports the result (rule R4), >= 1. */
  readonly conductorCompletionTimeoutSeconds: number;
  /** What an attempt past its merge gets at SIGTERM to report and clean up, >= 1. */
  readonly workerShutdownGraceSeconds: number;
  /** The slack of the lease, >= 1. */
  readonly heartbeatIntervalSeconds: number;

  constructor(fields: PublishBudgetFields) {
    const checked = check(fields);
    if (!checked.ok) throw new PublishBudgetError(checked.findings);
    this.observedMergeP99Seconds = checked.fields.observedMergeP99Seconds;
    this.safetyMarginSeconds = checked.fields.safetyMarginSeconds;
    this.lakefsMergeTimeoutSeconds = checked.fields.lakefsMergeTimeoutSeconds;
    this.conductorCompletionTimeoutSeconds = checked.fields.conductorCompletionTimeoutSeconds;
    this.workerShutdownGraceSeconds = checked.fields.workerShutdownGraceSeconds;
    this.heartbeatIntervalSeconds = checked.fields.heartbeatIntervalSeconds;
    Object.freeze(this);
  }
}

/** What parsing gives: a budget, or every finding. */
export type ParsedPublishBudget =
  | { readonly ok: true; readonly budget: PublishBudget }
  | { readonly ok: false; readonly findings: readonly BudgetFinding[] };

/**
 * Reads a budget from anything; for callers that list findings instead of ending at the first bad budget. Never throws.
 */
export function parsePublishBudget(input: unknown): ParsedPublishBudget {
  const checked = check(input);
  return checked.ok ? { ok: true, budget: new PublishBudget(checked.fields) } : checked;
}

function check(
  input: unknown,
):
  | { readonly ok: true; readonly fields: PublishBudgetFields }
  | { readonly ok: false; readonly findings: BudgetFinding[] } {
  const parsed = publishBudgetSchema.safeParse(input);
  if (parsed.success) return { ok: true, fields: parsed.data };
  return { ok: false, findings: findingsOf(input, parsed.error.issues) };
}
