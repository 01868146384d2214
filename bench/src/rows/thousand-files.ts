import type { Measurement, Surroundings } from "../measurement.ts";
import { coldAttempts, prepareTree, warmAttempts } from "./attempt.ts";

/** The tree of B1, B2 and B13. */
export const SHAPE = { fileCount: 1000, sizeBytes: 64 * 1024 };
const AGAINST = "lakectl: local clone + local commit + merge";

/** B1 and B2: one of a thousand files is changed, on a host that has never seen them and on one that has. */
export const thousandFiles: Measurement = {
  rows: [
    {
      id: "B1",
      work: "cold attempt, 1,000 files of 64 KiB, body changes one",
      against: AGAINST,
      unit: "ms",
      decimals: 0,
      bound: { figure: "ratio", relation: "<=", value: 1 },
    },
    {
      id: "B2",
      work: "the same on a host that already holds the input",
      against: AGAINST,
      unit: "ms",
      decimals: 0,
      bound: { figure: "ratio", relation: "<=", value: 0.35 },
    },
  ],
  async measure(around: Surroundings) {
    const runCount = around.quick ? 3 : 5;
    await around.session.register("change");
    const work = await prepareTree(around, SHAPE);
    const { ours, other } = await coldAttempts(around, work, runCount);
    return { B1: { ours, other }, B2: await warmAttempts(around, work, runCount) };
  },
};
