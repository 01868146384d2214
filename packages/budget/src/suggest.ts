import { PublishBudget } from "./publish-budget.ts";

/** A sample longer than a day counts as a day, so that one broken clock cannot make the suggestion endless. */
const SAMPLE_MAX_MS = 86_400_000;
const MARGIN_MIN_SECONDS = 5;
const MARGIN_SHARE = 0.5;
const TIMEOUT_FACTOR = 1.5;
const COMPLETION_SECONDS = 15;
const GRACE_SECONDS = 30;
const HEARTBEAT_SECONDS = 10;

/** A suggested budget and what it rests on. */
export interface PublishBudgetSuggestion {
  readonly budget: PublishBudget;
  /** Samples that counted. */
  readonly sampleCount: number;
  /** Samples that are no time: negative or not finite. */
  readonly ignoredCount: number;
  /** Nearest-rank 99th percentile of the samples, milliseconds. With fewer than 100 samples it is the longest one. */
  readonly observedMergeP99Ms: number;
}

/**
 * Suggests a budget from observed merge latencies in milliseconds: p99 rounded up to seconds, a margin of half of it
 * (at least 5 s), a merge timeout of one and a half times both, and 15, 30 and 10 s for completion, grace and
 * heartbeat. Undefined where no sample is a time.
 */
export function suggestPublishBudget(mergeLatenciesMs: readonly number[]): PublishBudgetSuggestion | undefined {
  const samplesMs = mergeLatenciesMs
    .filter((latencyMs) => Number.isFinite(latencyMs) && latencyMs >= 0)
    .map((latencyMs) => Math.min(latencyMs, SAMPLE_MAX_MS))
    .toSorted((left, right) => left - right);
  const observedMergeP99Ms = samplesMs[Math.ceil(samplesMs.length * 0.99) - 1];
  if (observedMergeP99Ms === undefined) return undefined;

  const observedMergeP99Seconds = Math.ceil(observedMergeP99Ms / 1000);
  const safetyMarginSeconds = Math.max(MARGIN_MIN_SECONDS, Math.ceil(observedMergeP99Seconds * MARGIN_SHARE));
  const budget = new PublishBudget({
    observedMergeP99Seconds,
    safetyMarginSeconds,
    lakefsMergeTimeoutSeconds: Math.ceil((observedMergeP99Seconds + safetyMarginSeconds) * TIMEOUT_FACTOR),
    conductorCompletionTimeoutSeconds: COMPLETION_SECONDS,
    workerShutdownGraceSeconds: GRACE_SECONDS,
    heartbeatIntervalSeconds: HEARTBEAT_SECONDS,
  });
  const ignoredCount = mergeLatenciesMs.length - samplesMs.length;
  return { budget, sampleCount: samplesMs.length, ignoredCount, observedMergeP99Ms };
}
