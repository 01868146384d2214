import { describe, expect, it } from "vitest";
import { alternate } from "./alternate.ts";
import { parseArguments } from "./args.ts";
import { chooseMeasurements, measurements } from "./measurements.ts";
import { executionsOf, phaseTimes } from "./phases.ts";
import { judge } from "./row.ts";
import { countRequests } from "./rows/requests.ts";
import { withResults } from "./history-file.ts";
import { renderTable } from "./table.ts";
import { machine } from "./testing/machine.ts";

describe("turns", () => {
  it("change who begins, so that neither always meets the warmer machine", async () => {
    const order: string[] = [];
    const turn = (name: string) => async (run: number) => {
      order.push(name);
      return run;
    };
    const samples = await alternate(3, { ours: turn("ours"), other: turn("other") });
    expect(order).toEqual(["ours", "other", "other", "ours", "ours", "other"]);
    expect(samples).toEqual({ ours: [0, 1, 2], other: [0, 1, 2] });
  });
});

describe("the choice of rows", () => {
  it("is all without a name", () => {
    expect(chooseMeasurements([])).toBe(measurements);
  });

  it("takes a row's further figures with it", () => {
    const [chosen] = chooseMeasurements(["B6"]);
    expect(chosen?.rows.map(({ id }) => id)).toEqual(["B6", "B6/cpu", "B6/thread", "B6/thread-cpu"]);
  });

  it("refuses what is no row, and names those that are", () => {
    expect(() => chooseMeasurements(["B99"])).toThrow(/no row B99; rows are B1, /);
  });

  it("has no id twice", () => {
    const ids = measurements.flatMap(({ rows }) => rows.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("comes from --row, which may stand more than once", () => {
    expect(parseArguments(["--row", "B1", "--row", "B5", "--json"])).toMatchObject({ rows: ["B1", "B5"], json: true });
    expect(() => parseArguments(["--rows"])).toThrow(TypeError);
  });
});

describe("phase times", () => {
  const line = (executionId: string, phase: string, durationMs: number) => {
    return { msg: "phase", executionId, phase, durationMs };
  };
  const lines = [
    { msg: "attempt started", executionId: "a" },
    line("a", "run", 1),
    line("a", "merge", 10),
    line("a", "run", 2),
    { msg: "attempt started", executionId: "b" },
    line("b", "run", 5),
    { msg: "something else", executionId: "c", durationMs: 9 },
  ];

  it("add up what one attempt asked twice, and are medians over attempts", () => {
    expect(phaseTimes(lines)).toEqual([
      { phase: "run", medianMs: 4, maxMs: 5, attemptCount: 2 },
      { phase: "merge", medianMs: 10, maxMs: 10, attemptCount: 1 },
    ]);
  });

  it("count the chosen attempts only", () => {
    expect(executionsOf(lines)).toEqual(["a", "b"]);
    expect(phaseTimes(lines, new Set(["b"]))).toEqual([{ phase: "run", medianMs: 5, maxMs: 5, attemptCount: 1 }]);
  });
});

describe("bench B9: counted requests", () => {
  it("are told apart by what they ask for", () => {
    const at = "/api/v1/repositories/r";
    const seen = [
      ["GET", `${at}/refs/abc/objects`],
      ["GET", `${at}/refs/abc/objects/ls`],
      ["PUT", `${at}/branches/stg/objects`],
      ["POST", `${at}/branches/stg/objects`],
      ["GET", `${at}/refs/a/diff/b`],
      ["POST", `${at}/branches`],
    ].map(([method = "", path = ""]) => ({ method, path, atMs: 0 }));
    expect(countRequests(seen)).toEqual({ uploads: 2, pages: 1, diffs: 1, downloads: 1, others: 5 });
  });
});

describe("the table", () => {
  it("shows target, figure, ratio, both medians, unit and runs, and names what is missed with the reason", () => {
    const spec = {
      id: "B1",
      work: "cold attempt",
      against: "lakectl",
      unit: "ms",
      decimals: 0,
      bound: { figure: "ratio", relation: "<=", value: 1 },
    } as const;
    const text = renderTable(machine, [judge(spec, { ours: [150], other: [100] }, "it is slow")], [spec]);
    expect(text).toContain("CPU x2, 8 GiB, Linux 6, temporary files on ext4; Node 24, lakeFS 1.84.0");
    expect(text).toMatch(/B1 +cold attempt +<= 1 +1\.50 +1\.50 +150 +100 +ms +1 +MISSED/);
    expect(text).toContain("B1 missed: it is slow");
  });
});

describe("the history", () => {
  const row = judge(
    {
      id: "B9",
      work: "uploads",
      against: "-",
      unit: "uploads",
      bound: { figure: "ours", relation: "<=", value: 1 },
    },
    { ours: [1], other: [] },
  );

  it("keeps figures under a label, and the newer ones where the label is known", () => {
    const entry = { label: "after", machine, machineText: "a machine", rows: [row] };
    const before = { label: "before", measuredAt: "2026", machine: "a machine", rows: [] };
    const once = withResults([before], entry);
    expect(once.map(({ label }) => label)).toEqual(["before", "after"]);
    expect(once[1]?.rows).toEqual([
      { id: "B9", figure: 1, ratio: null, ours: 1, other: null, unit: "uploads", runs: 1, met: true },
    ]);
    expect(withResults(once, entry)).toHaveLength(2);
  });
});
