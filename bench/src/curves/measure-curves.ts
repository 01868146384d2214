import { median } from "../row.ts";
import type { Surroundings } from "../measurement.ts";
import { attemptOn, lakectlOn, prepareTree, warmHost, type TreeWork } from "../rows/attempt.ts";
import { fenceAt } from "../rows/history.ts";
import { forgetPeak, residentBytes } from "../world/proc.ts";
import { untilSettled } from "../world/session.ts";
import type { TreeShape } from "../world/tree.ts";
import type { Curve } from "./curve.ts";

const MIB = 1024 ** 2;
const FILE_COUNTS = [10, 100, 1000, 10_000, 100_000];
const QUICK_FILE_COUNTS = [10, 100, 1000];
const SIZES_MIB = [1, 8, 64, 512, 2048];
const QUICK_SIZES_MIB = [1, 8, 64];
const COMMIT_COUNTS = [1, 4, 16, 64, 256, 1024];
const QUICK_COMMIT_COUNTS = [1, 16, 64];
/** A shape that takes long is measured once. */
const REPEATED_BELOW_BYTES = 100 * MIB;

/** What one attempt on one shape took. */
interface Measured {
  readonly coldMs: number;
  readonly warmMs: number;
  readonly lakectlMs: number;
  readonly memoryMib: number;
}

/** Measures how an attempt grows with files, with bytes and with history. */
export async function measureCurves(around: Surroundings): Promise<readonly Curve[]> {
  await around.session.register("change");
  const { quick } = around;
  const files = await measureShapes(
    around,
    (quick ? QUICK_FILE_COUNTS : FILE_COUNTS).map((fileCount) => [fileCount, { fileCount, sizeBytes: 1024 }]),
  );
  const bytes = await measureShapes(
    around,
    (quick ? QUICK_SIZES_MIB : SIZES_MIB).map((mib) => [mib, { fileCount: 1, sizeBytes: mib * MIB }]),
  );
  const timeTitle = "milliseconds from poll to report; lakectl: clone, commit and merge";
  return [
    { title: "Files of 1 KiB, one changed", xLabel: "files", yLabel: timeTitle, series: timesOf(files) },
    { title: "One file, changed", xLabel: "MiB", yLabel: timeTitle, series: timesOf(bytes) },
    {
      title: "Memory of the host over the size of one file",
      xLabel: "MiB",
      yLabel: "MiB that the host's resident memory grows by at its highest, at least 1",
      series: [{ name: "growth", points: bytes.map(([x, { memoryMib }]) => [x, Math.max(1, memoryMib)]) }],
    },
    await measureHistory(around),
  ];
}

function timesOf(measured: readonly (readonly [number, Measured])[]): Curve["series"] {
  const series = (name: string, pick: (each: Measured) => number) => {
    return { name, points: measured.map(([x, each]) => [x, pick(each)] as const) };
  };
  return [
    series("cold attempt", ({ coldMs }) => coldMs),
    series("warm attempt", ({ warmMs }) => warmMs),
    series("lakectl", ({ lakectlMs }) => lakectlMs),
  ];
}

async function measureShapes(
  around: Surroundings,
  shapes: readonly (readonly [number, Omit<TreeShape, "seed">])[],
): Promise<readonly (readonly [number, Measured])[]> {
  const measured: [number, Measured][] = [];
  for (const [x, shape] of shapes) {
    const work = await prepareTree(around, shape);
    const isSmall = shape.fileCount * shape.sizeBytes < REPEATED_BELOW_BYTES && shape.fileCount < 10_000;
    measured.push([x, await measureShape(around, work, isSmall && !around.quick ? 3 : 1)]);
    await work.place.remove();
  }
  return measured;
}

async function measureShape(around: Surroundings, work: TreeWork, runCount: number): Promise<Measured> {
  const cold: number[] = [];
  const warm: number[] = [];
  const lakectl: number[] = [];
  const memory: number[] = [];
  for (let run = 0; run < runCount; run += 1) {
    lakectl.push(await lakectlOn(around, work));
    const host = await warmHost(around, work);
    forgetPeak(host.pid);
    const before = residentBytes(host.pid).now;
    for (const times of [cold, warm]) {
      times.push(await attemptOn(around.session, work.place, work.input));
      await untilSettled(host, work.place);
    }
    memory.push((residentBytes(host.pid).peak - before) / MIB);
    await host.stop();
  }
  const measured = { coldMs: median(cold), warmMs: median(warm), lakectlMs: median(lakectl) };
  around.say(JSON.stringify(measured));
  return { ...measured, memoryMib: median(memory) };
}

async function measureHistory(around: Surroundings): Promise<Curve> {
  const work = await prepareTree(around, { fileCount: 1, sizeBytes: 100 });
  const fence: [number, number][] = [];
  const bare: [number, number][] = [];
  for (const commitCount of around.quick ? QUICK_COMMIT_COUNTS : COMMIT_COUNTS) {
    const { ours, other } = await fenceAt(around, work, commitCount);
    fence.push([commitCount, median(ours)]);
    bare.push([commitCount, median(other)]);
  }
  return {
    title: "Own commits since the input",
    xLabel: "commits",
    yLabel: "milliseconds of one evaluation of the publish fence, and of the bare log requests",
    series: [
      { name: "publish fence", points: fence },
      { name: "bare requests", points: bare },
    ],
  };
}
