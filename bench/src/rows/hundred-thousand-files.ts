import type { Measurement } from "../measurement.ts";
import { coldAttempts, prepareTree, warmAttempts } from "./attempt.ts";

const AGAINST = "lakectl: local clone + local commit + merge";
const FULL = { fileCount: 100_000, sizeBytes: 1024 };
const QUICK = { fileCount: 5000, sizeBytes: 1024 };

/** B3: one of a hundred thousand files is changed, cold and warm. */
export const hundredThousandFiles: Measurement = {
  rows: [
    {
      id: "B3",
      work: "cold attempt, 100,000 files of 1 KiB, one changed",
      against: AGAINST,
      unit: "s",
      bound: { figure: "ratio", relation: "<=", value: 1 },
    },
    {
      id: "B3/warm",
      work: "the same on a host that already holds the input",
      against: AGAINST,
      unit: "s",
      bound: { figure: "ratio", relation: "<=", value: 0.2 },
    },
    {
      id: "B3/memory",
      work: "growth of the host's resident memory a file at its highest, cold",
      against: "-",
      unit: "bytes",
      decimals: 0,
      // 400 MiB for 1,000,000 files.
      bound: { figure: "ours", relation: "<=", value: 419 },
    },
  ],
  async measure(around) {
    const runCount = around.quick ? 1 : 3;
    await around.session.register("change");
    const shape = around.quick ? QUICK : FULL;
    const work = await prepareTree(around, shape);
    const { growthBytes, ...cold } = await coldAttempts(around, work, runCount);
    const memory = { ours: growthBytes.map((bytes) => bytes / shape.fileCount), other: [] };
    const warm = await warmAttempts(around, work, runCount);
    return { B3: inSeconds(cold), "B3/warm": inSeconds(warm), "B3/memory": memory };
  },
};

function inSeconds({ ours, other }: { readonly ours: readonly number[]; readonly other: readonly number[] }) {
  const seconds = (values: readonly number[]): number[] => values.map((ms) => ms / 1000);
  return { ours: seconds(ours), other: seconds(other) };
}
