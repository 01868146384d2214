import { executionsOf, phaseTimes, renderPhases } from "./phases.ts";
import type { Surroundings } from "./measurement.ts";
import type { LogLine } from "./world/host.ts";
import { attemptMs, completed, untilSettled } from "./world/session.ts";
import { attemptOn, prepareTree, warmHost } from "./rows/attempt.ts";

const SHAPES = [
  { title: "one file of 100 bytes", fileCount: 1, sizeBytes: 100, runCount: 15 },
  { title: "1,000 files of 64 KiB", fileCount: 1000, sizeBytes: 64 * 1024, runCount: 5 },
  { title: "one file of 256 MiB", fileCount: 1, sizeBytes: 256 * 1024 ** 2, runCount: 3 },
] as const;
const NOOP_TASKS = 100;
const NOOP_SLOTS = 10;

/** Where the time of an attempt goes, phase by phase, by the host's own log; as text. */
export async function profileAttempts(around: Surroundings): Promise<string> {
  await around.session.register("change", "noop");
  const parts: string[] = [];
  for (const shape of SHAPES) {
    const work = await prepareTree(around, shape);
    const host = await warmHost(around, work);
    const totals: number[] = [];
    for (let run = 0; run < shape.runCount; run += 1) {
      totals.push(await attemptOn(around.session, work.place, work.input));
      await untilSettled(host, work.place);
    }
    const lines = await host.logLines();
    const [, cold, ...warm] = executionsOf(lines);
    await host.stop();
    parts.push(`${shape.title}: poll to report ${totals.map((ms) => ms.toFixed(0)).join(", ")} ms`);
    parts.push("first attempt on this host (cold)", phasesOf(lines, cold === undefined ? [] : [cold]));
    parts.push(`median of the ${warm.length} after it`, phasesOf(lines, warm), "");
  }
  parts.push(await profileNoops(around), "");
  return parts.join("\n");
}

async function profileNoops({ session }: Surroundings): Promise<string> {
  const host = await session.host({ modules: session.modules("noop"), args: ["-j", String(NOOP_SLOTS)] });
  const ids: string[] = [];
  for (let task = 0; task < NOOP_TASKS; task += 1) ids.push(await session.start({ task: "noop", params: {} }));
  const totals: number[] = [];
  for (const id of ids) totals.push(attemptMs(await completed(id)));
  const lines = await host.logLines();
  await host.stop();
  const title = `no-op task, ${NOOP_SLOTS} slots: poll to report, last ten ${totals.slice(-10).join(", ")} ms`;
  return [title, phasesOf(lines, executionsOf(lines).slice(NOOP_SLOTS))].join("\n");
}

function phasesOf(lines: readonly LogLine[], executions: readonly string[]): string {
  return renderPhases(phaseTimes(lines, new Set(executions)));
}
