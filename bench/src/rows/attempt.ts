import { randomBytes } from "node:crypto";
import { alternate } from "../alternate.ts";
import type { Surroundings } from "../measurement.ts";
import type { Host } from "../world/host.ts";
import { lakectlPath, workByLakectl } from "../world/lakectl.ts";
import { forgetPeak, residentBytes } from "../world/proc.ts";
import { until } from "@perago/e2e/support/until.ts";
import { attemptMs, untilSettled, type Place } from "../world/session.ts";
import { commitTree, treePath, type TreeShape } from "../world/tree.ts";

/** A tree on the real lakeFS of which attempts change one file. */
export interface TreeWork {
  readonly place: Place;
  readonly input: string;
  /** Small, for warming a host without the tree. */
  readonly smallInput: string;
  readonly smallPlace: Place;
}

/** Uploads the tree, and a tiny one beside it. */
export async function prepareTree({ session, say }: Surroundings, shape: Omit<TreeShape, "seed">): Promise<TreeWork> {
  const { client } = session;
  const place = await session.place("tree");
  const smallPlace = await session.place("small");
  say(`uploads ${shape.fileCount} files of ${shape.sizeBytes} bytes`);
  const at = (repository: string) => ({ client, repository, branch: "main" });
  const input = await commitTree(at(place.repository), { ...shape, seed: session.id });
  const small = { fileCount: 2, sizeBytes: 100, seed: "small" };
  return { place, input, smallPlace, smallInput: await commitTree(at(smallPlace.repository), small) };
}

let stampCount = 0;

/** Bytes that no earlier run has written. */
export function stamp(): string {
  stampCount += 1;
  return `${randomBytes(8).toString("hex")}-${stampCount}`;
}

/** A host with one slot that has run an attempt on the tiny tree, and rested: everything but the tree is warm. */
export async function warmHost(
  { session }: Surroundings,
  { smallPlace, smallInput }: TreeWork,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): Promise<Host> {
  const host = await session.host({ modules: session.modules("change"), env, args });
  await attemptOn(session, smallPlace, smallInput);
  await untilSettled(host, smallPlace);
  await until("the host has rested", () => host.isRested(), { timeoutMs: 60_000, everyMs: 20 });
  return host;
}

/** One attempt that changes the first file of the tree on a target of its own; answers poll to report. */
export async function attemptOn(session: Surroundings["session"], place: Place, input: string): Promise<number> {
  const branch = `target-${randomBytes(4).toString("hex")}`;
  await place.branchAt(input, branch);
  const { repository } = place;
  const params = { path: treePath(0), stamp: stamp() };
  return attemptMs(await session.run({ task: "change", repository, branch, ref: input, params }));
}

/** The same by `lakectl`, on branches made before the clock starts. */
export async function lakectlOn({ session }: Surroundings, { place, input }: TreeWork): Promise<number> {
  const suffix = randomBytes(4).toString("hex");
  const [branch, target] = [`work-${suffix}`, `target-${suffix}`];
  await place.branchAt(input, branch);
  await place.branchAt(input, target);
  const folder = `${await session.folder("lakectl")}/clone`;
  const work = { repository: place.repository, branch, target, path: treePath(0), stamp: stamp(), folder };
  return workByLakectl(lakectlPath(), work);
}

/**
 * Cold attempts against `lakectl`, by turns; each cold one has a host of its own with an empty cache. Also what the
 * host's resident memory grew by at its highest.
 */
export async function coldAttempts(around: Surroundings, work: TreeWork, runCount: number) {
  const growthBytes: number[] = [];
  const samples = await alternate(runCount, {
    async ours(run) {
      const host = await warmHost(around, work);
      forgetPeak(host.pid);
      const before = residentBytes(host.pid).now;
      const elapsedMs = await attemptOn(around.session, work.place, work.input);
      growthBytes.push(residentBytes(host.pid).peak - before);
      await untilSettled(host, work.place);
      await host.stop();
      around.say(`cold ${run}: ${elapsedMs} ms`);
      return elapsedMs;
    },
    async other(run) {
      const elapsedMs = await lakectlOn(around, work);
      around.say(`lakectl ${run}: ${Math.round(elapsedMs)} ms`);
      return elapsedMs;
    },
  });
  return { ...samples, growthBytes };
}

/** Attempts of one host that has seen the tree, against `lakectl`, by turns. */
export async function warmAttempts(around: Surroundings, work: TreeWork, runCount: number) {
  const host = await warmHost(around, work);
  await attemptOn(around.session, work.place, work.input);
  await untilSettled(host, work.place);
  const samples = await alternate(runCount, {
    async ours(run) {
      const elapsedMs = await attemptOn(around.session, work.place, work.input);
      await untilSettled(host, work.place);
      around.say(`warm ${run}: ${elapsedMs} ms`);
      return elapsedMs;
    },
    other: () => lakectlOn(around, work),
  });
  await host.stop();
  return samples;
}
