import type { Measurement, Surroundings } from "../measurement.ts";
import type { Host, LogLine } from "../world/host.ts";
import { untilSettled, type Place } from "../world/session.ts";
import { commitTree } from "../world/tree.ts";
import { attemptOn, prepareTree, warmHost } from "./attempt.ts";

const SLOTS = 4;
const SHAPE = { fileCount: 64, sizeBytes: 4 * 1024 ** 2 };
const QUICK_SHAPE = { fileCount: 16, sizeBytes: 4 * 1024 ** 2 };

/** B7: whether the host answers in time while it brings in data for all of its slots. */
export const eventLoop: Measurement = {
  rows: [
    {
      id: "B7",
      work: "event-loop delay of the host while 4 slots sync 1 GiB: p99 of the worst 5 s",
      against: "-",
      unit: "ms",
      decimals: 1,
      bound: { figure: "ours", relation: "<=", value: 50 },
    },
  ],
  async measure(around) {
    await around.session.register("change");
    const work = await prepareTree(around, { fileCount: 1, sizeBytes: 100 });
    const trees = await treesOf(around);
    const delays: number[] = [];
    const runCount = around.quick ? 2 : 5;
    for (let run = 0; run < runCount; run += 1) {
      const host = await warmHost(around, work, {}, ["-j", String(SLOTS)]);
      const beginMs = Date.now();
      // A lost lease would end an attempt FAILED, and the run with it: their tasks are not retried.
      await Promise.all(trees.map(({ place, input }) => attemptOn(around.session, place, input)));
      for (const { place } of trees) await untilSettled(host, place);
      delays.push(await worstDelayMs(host, beginMs));
      around.say(`run ${run}: p99 of the worst window ${delays.at(-1)?.toFixed(1)} ms`);
    }
    return { B7: { ours: delays, other: [], note: `${SLOTS * runCount} attempts, no lease lost` } };
  },
};

async function treesOf({ session, quick, say }: Surroundings): Promise<readonly { place: Place; input: string }[]> {
  const shape = quick ? QUICK_SHAPE : SHAPE;
  const trees: { place: Place; input: string }[] = [];
  for (let slot = 0; slot < SLOTS; slot += 1) {
    const place = await session.place(`slot${slot}`);
    say(`uploads ${shape.fileCount} files of ${shape.sizeBytes} bytes for slot ${slot}`);
    const where = { client: session.client, repository: place.repository, branch: "main" };
    trees.push({ place, input: await commitTree(where, { ...shape, seed: `${session.id}/${slot}` }) });
  }
  return trees;
}

/** Ends the host, which tells its last window too. */
async function worstDelayMs(host: Host, beginMs: number): Promise<number> {
  await host.stop();
  const delays = eventLoopDelaysMs(await host.logLines(), beginMs);
  if (delays.length === 0) throw new Error("the host told no event-loop delay");
  return Math.max(...delays);
}

/** The p99 of each window of a host's log that ended after a moment, milliseconds. */
export function eventLoopDelaysMs(lines: readonly LogLine[], beginMs: number): readonly number[] {
  return lines.flatMap(({ msg, time, p99Seconds }) => {
    const isMeant = msg === "event loop" && typeof time === "string" && Date.parse(time) > beginMs;
    return isMeant && typeof p99Seconds === "number" ? [p99Seconds * 1000] : [];
  });
}
