import { alternate } from "../alternate.ts";
import type { Measurement } from "../measurement.ts";
import { forgetPeak, residentBytes } from "../world/proc.ts";
import { untilSettled } from "../world/session.ts";
import { attemptOn, lakectlOn, prepareTree, warmHost } from "./attempt.ts";

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
    const growth: number[] = [];
    const samples = await alternate(around.quick ? 1 : 3, {
      async ours(run) {
        const host = await warmHost(around, work);
        forgetPeak(host.pid);
        const before = residentBytes(host.pid).now;
        const elapsedMs = await attemptOn(around.session, work.place, work.input);
        growth.push((residentBytes(host.pid).peak - before) / MIB);
        await untilSettled(host, work.place);
        await host.stop();
        around.say(`large file ${run}: ${elapsedMs} ms, ${growth.at(-1)?.toFixed(0)} MiB more memory`);
        return elapsedMs / 1000;
      },
      other: async () => (await lakectlOn(around, work)) / 1000,
    });
    return { B4: samples, "B4/memory": { ours: growth, other: [] } };
  },
};
