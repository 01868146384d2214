import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { parsePublishBudget } from "./publish-budget.ts";
import { suggestPublishBudget } from "./suggest.ts";

test("100 samples with one outlier: the outlier is not the p99", () => {
  const samplesMs = [...Array.from({ length: 99 }, () => 1_200), 50_000];
  const suggestion = suggestPublishBudget(samplesMs);
  expect(suggestion).toMatchObject({ sampleCount: 100, ignoredCount: 0, observedMergeP99Ms: 1_200 });
  expect({ ...suggestion?.budget }).toEqual({
    observedMergeP99Seconds: 2,
    safetyMarginSeconds: 5,
    lakefsMergeTimeoutSeconds: 11,
    conductorCompletionTimeoutSeconds: 15,
    workerShutdownGraceSeconds: 30,
    heartbeatIntervalSeconds: 10,
  });
});

test("a p99 of 20 seconds gives the 45 seconds of the documented example", () => {
  expect(suggestPublishBudget([20_000])?.budget).toMatchObject({
    safetyMarginSeconds: 10,
    lakefsMergeTimeoutSeconds: 45,
  });
});

test("nothing observed, nothing suggested", () => {
  expect(suggestPublishBudget([])).toBeUndefined();
  expect(suggestPublishBudget([Number.NaN, -1, Number.POSITIVE_INFINITY])).toBeUndefined();
});

const anyNumber = fc.double();

property.prop([fc.array(anyNumber), fc.double({ min: 0, noNaN: true, noDefaultInfinity: true })])(
  "a suggestion is always a valid budget that holds the observed p99",
  (samples, sample) => {
    const suggestion = suggestPublishBudget([...samples, sample]);
    expect(suggestion).toBeDefined();
    if (suggestion === undefined) return;
    expect(parsePublishBudget({ ...suggestion.budget }).ok).toBe(true);
    expect(suggestion.budget.lakefsMergeTimeoutSeconds * 1000).toBeGreaterThan(suggestion.observedMergeP99Ms);
    expect(suggestion.sampleCount + suggestion.ignoredCount).toBe(samples.length + 1);
  },
);

property.prop([fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 1 })])(
  "the order of the samples does not matter, and the given list is left as it is",
  (samples) => {
    const before = [...samples];
    const suggestion = suggestPublishBudget(samples);
    expect(samples).toEqual(before);
    expect(suggestPublishBudget(samples.toReversed())).toEqual(suggestion);
  },
);
