import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { History } from "../audit/history.ts";
import { createDice } from "../plan/dice.ts";
import { REPOSITORY_COUNT } from "../plan/workload.ts";
import { gatherHistory } from "./gather.ts";
import type { ChaosOptions } from "./options.ts";
import { runQuietTrials } from "./quiet.ts";
import type { Scene } from "./scene.ts";
import { sweepAll } from "./sweep.ts";
import { within } from "./until.ts";
import { runWorkflow } from "./workflow.ts";

/** Plays the plan to its end: workflows under trouble, quiet runs, a sweep; then reads what is left. */
export async function play(options: ChaosOptions, scene: Scene, folder: string): Promise<History> {
  const { seed, plan, say, width } = options;
  const repositories: { readonly name: string; readonly start: string }[] = [];
  for (let index = 0; index < REPOSITORY_COUNT; index += 1)
    repositories.push(await scene.lake.createRepository(String(index)));
  const endMs = performance.now() + options.minutes * 60_000;
  const isOver = (): boolean =>
    options.signal.aborted || scene.recorder.count() >= options.attempts || performance.now() > endMs;
  const names = repositories.map(({ name }) => name);
  const control = join(folder, "control");
  await mkdir(control, { recursive: true });
  let startedCount = 0;
  const lane = async (): Promise<void> => {
    while (!isOver()) {
      const { value: next, done } = plan.next();
      if (done === true) return;
      const repository = repositories[next.repository];
      if (repository === undefined) throw new Error(`no repository ${next.repository}`);
      startedCount += 1;
      await runWorkflow(scene, next, { repository, folder: control });
      say(`workflow ${next.index} has ended; ${scene.recorder.count()} attempts so far`);
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  options.signal.throwIfAborted();
  say(`${startedCount} workflows, ${scene.recorder.count()} attempts; no more trouble from here on`);
  await scene.servers.allUp();
  for (const { pending } of scene.workflows.values()) pending.clear();
  const quiet = await runQuietTrials(scene, createDice(seed, "quiet"), options.quiet);
  await settle(scene);
  const isSwept = await sweepAll(scene, names, folder);
  const targets = [...scene.workflows.values()].map(({ repository, branch, start }) => ({ repository, branch, start }));
  return gatherHistory(scene, {
    fence: options.fence,
    targets,
    repositories: names,
    quiet,
    isSwept,
  });
}

const SETTLE_MS = 30_000;

/** Executions that end after their result was taken: late read-backs and cleanup. */
async function settle({ recorder }: Scene): Promise<void> {
  await within(SETTLE_MS, () => recorder.all().every(({ end }) => end !== "open"));
}
