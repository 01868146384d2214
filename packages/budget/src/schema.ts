import { z } from "zod";

type Seconds = z.ZodNumber;

/** Shape of the six fields. */
export interface PublishBudgetShape {
  /** Observed 99th percentile of the merge request, the time of lakeFS' pre-merge hooks in it (case L11), >= 0. */
  readonly observedMergeP99Seconds: Seconds;
  /** What is added to it for bad days, >= 0. */
  readonly safetyMarginSeconds: Seconds;
  /** Bounds the merge request (rule C4), >= 1 and at least the two above together. */
  readonly lakefsMergeTimeoutSeconds: Seconds;
  /** Bounds each request that reports the result (rule R4), >= 1. */
  readonly conductorCompletionTimeoutSeconds: Seconds;
  /** What an attempt past its merge gets at SIGTERM to report and clean up, >= 1. */
  readonly workerShutdownGraceSeconds: Seconds;
  /** The slack of the lease, >= 1. */
  readonly heartbeatIntervalSeconds: Seconds;
}

/** The six fields as numbers of whole seconds. */
export type PublishBudgetFields = { readonly [Name in keyof PublishBudgetShape]: number };

/** A zod schema of a budget's fields. */
export type PublishBudgetSchema = z.ZodObject<
  { -readonly [Name in keyof PublishBudgetShape]: PublishBudgetShape[Name] },
  z.core.$strict
>;

/**
 * The budget's rules as a strict zod schema: six required fields of whole seconds, no other field, and the merge
 * timeout at least the observed latency plus the margin. zod looks at that sum only where the fields are right;
 * `parsePublishBudget` lists it beside other findings.
 */
export const publishBudgetSchema: PublishBudgetSchema = z
  .strictObject({
    observedMergeP99Seconds: z.int().min(0),
    safetyMarginSeconds: z.int().min(0),
    lakefsMergeTimeoutSeconds: z.int().min(1),
    conductorCompletionTimeoutSeconds: z.int().min(1),
    workerShutdownGraceSeconds: z.int().min(1),
    heartbeatIntervalSeconds: z.int().min(1),
  })
  .refine((fields) => mergeShortfall(fields) === undefined, {
    path: ["lakefsMergeTimeoutSeconds"],
    error: "lakefsMergeTimeoutSeconds is less than observedMergeP99Seconds + safetyMarginSeconds",
  });

/** Two numbers that do not fit. */
export interface MergeShortfall {
  readonly timeoutSeconds: number;
  readonly p99Seconds: number;
  readonly marginSeconds: number;
}

/**
 * The numbers of a merge timeout that is too small; undefined where it fits or where a field is no number (that is
 * another finding).
 */
export function mergeShortfall(fields: unknown): MergeShortfall | undefined {
  const timeoutSeconds = numberAt(fields, "lakefsMergeTimeoutSeconds");
  const p99Seconds = numberAt(fields, "observedMergeP99Seconds");
  const marginSeconds = numberAt(fields, "safetyMarginSeconds");
  if (timeoutSeconds === undefined || p99Seconds === undefined || marginSeconds === undefined) return undefined;
  return timeoutSeconds < p99Seconds + marginSeconds ? { timeoutSeconds, p99Seconds, marginSeconds } : undefined;
}

function numberAt(fields: unknown, name: string): number | undefined {
  const value = valueAt(fields, name);
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** What stands in a field of anything; only own fields count. */
export function valueAt(fields: unknown, name: string): unknown {
  return typeof fields === "object" && fields !== null ? new Map(Object.entries(fields)).get(name) : undefined;
}
