import { describe, expect, it } from "vitest";
import { FailureSummary } from "./failure-summary.ts";

describe("failure summary", () => {
  it("case A10: an engine that is down for two minutes gives four lines, not thousands", () => {
    const summary = new FailureSummary();
    const notes = [];
    for (let atMs = 0; atMs <= 120_000; atMs += 100) {
      const note = summary.failed("refused", atMs);
      if (note !== undefined) notes.push(note);
    }
    const end = summary.recovered(121_000);
    expect(notes).toEqual([
      { count: 1, total: 1, sinceMs: 0 },
      { count: 600, total: 601, sinceMs: 60_000 },
      { count: 600, total: 1_201, sinceMs: 120_000 },
    ]);
    expect(end).toEqual({ count: 0, total: 1_201, sinceMs: 121_000 });
  });

  it("says nothing about a recovery where nothing failed", () => {
    expect(new FailureSummary().recovered(5)).toBeUndefined();
  });

  it("keeps a bounded number of different failures apart", () => {
    const summary = new FailureSummary();
    let shown = 0;
    for (let index = 0; index < 5_000; index += 1) if (summary.failed(`key ${index}`, 0) !== undefined) shown += 1;
    expect(shown).toBe(101);
  });
});
