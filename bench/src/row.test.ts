import { describe, expect, it } from "vitest";
import { judge, median, type RowSpec } from "./row.ts";

const spec: RowSpec = {
  id: "B1",
  work: "work",
  against: "peer",
  unit: "ms",
  bound: { figure: "ratio", relation: "<=", value: 1 },
};

describe("the median", () => {
  it("is the value in the middle, whatever the order", () => {
    expect(median([9, 1, 5])).toBe(5);
  });

  it("is the mean of both values in the middle", () => {
    expect(median([4, 1, 3, 100])).toBe(3.5);
  });

  it("is no number for no values", () => {
    expect(median([])).toBeNaN();
  });
});

describe("a row", () => {
  it("is met where the ratio of the medians is at the target", () => {
    const row = judge(spec, { ours: [100, 1, 50], other: [50, 50, 50] });
    expect(row).toMatchObject({ ratio: 1, figure: 1, ours: 50, other: 50, runs: 3, met: true });
    expect(row).not.toHaveProperty("reason");
  });

  it("is missed just above it, with the reason", () => {
    const row = judge(spec, { ours: [51], other: [50] }, "the disk");
    expect(row).toMatchObject({ ratio: 1.02, met: false, reason: "the disk" });
  });

  it("may have to be large", () => {
    const atLeast = { ...spec, bound: { figure: "ratio", relation: ">=", value: 1 } } as const;
    expect(judge(atLeast, { ours: [2], other: [1] }).met).toBe(true);
    expect(judge(atLeast, { ours: [1], other: [2] }).met).toBe(false);
  });

  it("compares our own figure where there is no peer", () => {
    const absolute = { ...spec, bound: { figure: "ours", relation: "<=", value: 50 } } as const;
    expect(judge(absolute, { ours: [49], other: [] })).toMatchObject({ ratio: null, figure: 49, met: true });
    expect(judge(absolute, { ours: [51], other: [] }).met).toBe(false);
  });

  it("compares the difference where the peer is what cannot be avoided", () => {
    const more = { ...spec, bound: { figure: "difference", relation: "<=", value: 0.3 } } as const;
    expect(judge(more, { ours: [0.5], other: [0.25] })).toMatchObject({ figure: 0.25, ratio: 2, met: true });
  });

  it("that could not be measured is missed, never met", () => {
    for (const figure of ["ratio", "ours", "difference"] as const) {
      const unmeasured = judge(
        { ...spec, bound: { figure, relation: "<=", value: 1 } },
        { ours: [], other: [] },
        "why",
      );
      expect(unmeasured).toMatchObject({ figure: null, met: false, runs: 0, reason: "why" });
    }
  });
});
