import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Measurement, Surroundings } from "../measurement.ts";
import { parseLine, type Host, type LogLine } from "../world/host.ts";
import { untilSettled, type Place } from "../world/session.ts";
import { commitTree } from "../world/tree.ts";
import { attemptOn, prepareTree, warmHost } from "./attempt.ts";

const SLOTS = 4;
const SHAPE = { fileCount: 64, sizeBytes: 4 * 1024 ** 2 };
const QUICK_SHAPE = { fileCount: 16, sizeBytes: 4 * 1024 ** 2 };
const IDLE_LOOP = join(import.meta.dirname, "../peers/idle-loop.ts");

/** A tree that one of the slots brings in. */
interface SlotTree {
  readonly place: Place;
  readonly input: string;
}

/** B7: whether the host answers in time while it brings in data for all of its slots. */
export const eventLoop: Measurement = {
  rows: [
    {
      id: "B7",
      work: "event-loop delay of the host while 4 slots sync 1 GiB: p99 of the worst 5 s",
      against: "a Node process that does nothing meanwhile",
      unit: "ms",
      decimals: 1,
      bound: { figure: "ours", relation: "<=", value: 50 },
    },
  ],
  async measure(around) {
    await around.session.register("change");
    const trees = await treesOf(around);
    const ours: number[] = [];
    const other: number[] = [];
    const runCount = around.quick ? 2 : 5;
    const work = await prepareTree(around, { fileCount: 1, sizeBytes: 100 });
    for (let run = 0; run < runCount; run += 1) {
      const host = await warmHost(around, work, {}, ["-j", String(SLOTS)]);
      const idle = startIdleLoop();
      const delays = await delaysDuring(around, host, trees);
      ours.push(delays);
      other.push(worstOf(await idle.stop(), 0));
      around.say(`run ${run}: ${ours.at(-1)?.toFixed(1)} ms, idle process ${other.at(-1)?.toFixed(1)} ms`);
    }
    return { B7: { ours, other, note: `${SLOTS * runCount} attempts, no lease lost` } };
  },
};

async function treesOf({ session, quick, say }: Surroundings): Promise<readonly SlotTree[]> {
  const shape = quick ? QUICK_SHAPE : SHAPE;
  const trees: SlotTree[] = [];
  for (let slot = 0; slot < SLOTS; slot += 1) {
    const place = await session.place(`slot${slot}`);
    say(`uploads ${shape.fileCount} files of ${shape.sizeBytes} bytes for slot ${slot}`);
    const where = { client: session.client, repository: place.repository, branch: "main" };
    trees.push({ place, input: await commitTree(where, { ...shape, seed: `${session.id}/${slot}` }) });
  }
  return trees;
}

/** Runs all slots at once; answers the worst window's p99 of the host. Its end tells the last window too. */
async function delaysDuring(around: Surroundings, host: Host, trees: readonly SlotTree[]): Promise<number> {
  const beginMs = Date.now();
  // A lost lease would end an attempt FAILED, and the run with it: their tasks are not retried.
  await Promise.all(trees.map(({ place, input }) => attemptOn(around.session, place, input)));
  for (const { place } of trees) await untilSettled(host, place);
  await host.stop();
  return worstOf(await host.logLines(), beginMs);
}

/** The largest p99, in milliseconds, of the windows that ended after a moment. */
export function worstOf(lines: readonly LogLine[], beginMs: number): number {
  const delays = lines.flatMap(({ msg, time, p99Seconds }) => {
    const isMeant = msg === "event loop" && typeof time === "string" && Date.parse(time) > beginMs;
    return isMeant && typeof p99Seconds === "number" ? [p99Seconds * 1000] : [];
  });
  if (delays.length === 0) throw new Error("no event-loop delay was told");
  return Math.max(...delays);
}

function startIdleLoop(): { stop(): Promise<readonly LogLine[]> } {
  const child = spawn(process.execPath, [IDLE_LOOP], { stdio: ["ignore", "pipe", "inherit"] });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  const ended = once(child, "close");
  return {
    async stop() {
      child.kill("SIGTERM");
      await ended;
      return stdout.split("\n").flatMap(parseLine);
    },
  };
}
