import type { Measurement } from "../measurement.ts";
import { coldAttempts, prepareTree } from "./attempt.ts";

const MIB = 1024 ** 2;
const FULL_BYTES = 2048 * MIB;
const QUICK_BYTES = 256 * MIB;

/** B4: one large file is changed; what the host holds of it in memory. */
export const largeFile: Measurement = {
  rows: [
    {
      id: "B4",
      work: "one 2 GiB file, changed",
      against: "lakectl: local clone + local commit + merge",
      unit: "s",
      bound: { figure: "ratio", relation: "<=", value: 1.1 },
    },
    {
      id: "B4/memory",
      work: "the same: growth of the host's resident memory at its highest",
      against: "-",
      unit: "MiB",
      decimals: 0,
      bound: { figure: "ours", relation: "<=", value: 64 },
    },
  ],
  async measure(around) {
    await around.session.register("change");
    const work = await prepareTree(around, { fileCount: 1, sizeBytes: around.quick ? QUICK_BYTES : FULL_BYTES });
    const { growthBytes, ...cold } = await coldAttempts(around, work, around.quick ? 1 : 3);
    const seconds = (values: readonly number[]): number[] => values.map((ms) => ms / 1000);
    const growth = growthBytes.map((bytes) => bytes / MIB);
    return {
      B4: { ours: seconds(cold.ours), other: seconds(cold.other) },
      "B4/memory": { ours: growth, other: [] },
    };
  },
};
