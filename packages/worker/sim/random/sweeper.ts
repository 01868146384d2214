import { isSwept } from "../model/sweep.ts";
import { diceOf } from "./dice.ts";
import type { Wiring } from "../explore/context.ts";
import type { SimWorld, StagingBranch } from "./world.ts";

/** Longer than a merge of the model can be under way after its branch was committed, as the real TTL is. */
const TTL_MS = 200_000;
const SWEEP_COUNT = 3;
const HOST_COUNT = 3;

/** Hosts sweep at any time (rule X3), beside all that happens; what the sweeps do depends on the seed alone. */
export function scheduleSweeps(world: SimWorld, wiring: Wiring): void {
  const dice = diceOf(world.scenario.seed, "sweeps");
  for (let count = 0; count < SWEEP_COUNT; count += 1) {
    const host = `host${dice.between(0, HOST_COUNT - 1)}`;
    world.scheduler.after(dice.between(0, 2 * TTL_MS), () => {
      world.sweptCount += sweep(world, host, wiring.sweepTtlMs ?? TTL_MS);
    });
  }
}

/** S7: one sweep past the TTL leaves no branch but those that somebody else has made, or has committed to. */
export function sweepPastTtl(world: SimWorld): void {
  const { branches, head, repository, runs, scheduler } = world;
  const [by] = runs;
  const foreign = { base: head, head, tree: repository.commit(head).tree, sinceMs: scheduler.nowMs };
  if (by !== undefined) branches.set("by-hand", { ...foreign, by });
  scheduler.nowMs += TTL_MS + 1;
  sweep(world, "a host that holds nothing", TTL_MS);
  if (by !== undefined && !branches.delete("by-hand")) world.violations.push("S7: a foreign branch is gone");
  for (const [name, branch] of branches) {
    const isOwn = branch.head === branch.base || branch.head === branch.by.stagingCommit;
    if (isOwn) world.violations.push(`S7: ${name} is left after a sweep past the TTL`);
  }
}

/** One sweep of a host; answers how many branches it took. */
function sweep(world: SimWorld, host: string, ttlMs: number): number {
  const { branches, repository, scheduler } = world;
  const isHeldBy = ({ by }: StagingBranch): boolean => by.task.workerId === host && !by.isDead && by.end === "";
  let count = 0;
  for (const [name, branch] of branches) {
    const sweeper = { nowMs: scheduler.nowMs, ttlMs, isHeld: () => isHeldBy(branch) };
    if (!isSwept(repository, { name, head: branch.head, sinceMs: branch.sinceMs }, sweeper)) continue;
    branches.delete(name);
    count += 1;
    world.tell(`${host} sweeps ${name}`);
  }
  return count;
}
