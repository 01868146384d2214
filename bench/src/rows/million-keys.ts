import { join } from "node:path";
import { z } from "zod";
import type { Measurement } from "../measurement.ts";
import { runCommand } from "../world/processes.ts";

const PROGRAM = join(import.meta.dirname, "../peers/million-keys.ts");
const MIB = 1024 ** 2;
const shape = z.object({
  count: z.number(),
  uploadCount: z.number(),
  unchangedCount: z.number(),
  beforeBytes: z.number(),
  peakBytes: z.number(),
});

/** M1: what a listing and its plan cost in memory, in a process that does nothing else. */
export const millionKeys: Measurement = {
  rows: [
    {
      id: "M1",
      work: "1,000,000 generated keys listed and planned: highest memory of the whole process",
      against: "-",
      unit: "MiB",
      decimals: 0,
      bound: { figure: "ours", relation: "<=", value: 400 },
    },
    {
      id: "M1/key",
      work: "the same: growth a key",
      against: "-",
      unit: "bytes",
      decimals: 0,
      bound: { figure: "ours", relation: "<=", value: 400 },
    },
  ],
  async measure({ session, quick }) {
    const keyCount = quick ? 100_000 : 1_000_000;
    const folder = await session.folder("million");
    const peaks: number[] = [];
    const growths: number[] = [];
    for (let run = 0; run < (quick ? 1 : 5); run += 1) {
      const { stdout } = await runCommand(process.execPath, [PROGRAM, String(keyCount)], { folder });
      const result = shape.parse(JSON.parse(stdout));
      if (result.count !== keyCount || result.unchangedCount + result.uploadCount !== keyCount)
        throw new Error(`the plan is not of all keys: ${stdout}`);
      peaks.push(result.peakBytes / MIB);
      growths.push((result.peakBytes - result.beforeBytes) / keyCount);
    }
    return { M1: { ours: peaks, other: [] }, "M1/key": { ours: growths, other: [] } };
  },
};
