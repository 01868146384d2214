import { s7LeftOver } from "../invariants/attempt.ts";
import { isOwn } from "../invariants/landing.ts";
import { currentTask, rerun, type Task } from "../model/engine.ts";
import { doDeed, offer } from "./engine-loop.ts";
import { createRun, runExecution, type Build } from "./execution.ts";
import { Fates } from "./fate.ts";
import { scenarioOf, type Scenario } from "./scenario.ts";
import { scheduleSweeps, sweepPastTtl } from "./sweeper.ts";
import { SimWorld } from "./world.ts";

/** What one random run came to. */
export interface RunResult {
  readonly scenario: Scenario;
  readonly violations: readonly string[];
  /** Everything that went wrong or was done by somebody. */
  readonly struck: readonly string[];
  readonly executionCount: number;
  readonly eventCount: number;
  readonly codes: readonly string[];
  readonly raceCount: number;
  /** Branches that sweeps took while executions ran. */
  readonly sweptCount: number;
  readonly windowCount: number;
  readonly rewound: boolean;
  readonly log: readonly string[];
}

/** How one run is made. */
export interface RunOptions extends Build {
  /** Only these of the troubles happen. */
  readonly only?: ReadonlySet<string>;
}

/** Runs one seed to its end, and then once more undisturbed. The same seed gives the same run. */
export async function runSeed(seed: number, options: RunOptions = {}): Promise<RunResult> {
  const scenario = scenarioOf(seed);
  const fates = new Fates(scenario, options.only);
  const world = new SimWorld(scenario, fates);
  const start = (task: Task): void => {
    const run = createRun(world, task);
    runExecution(world, run, options).then(
      () => offer(world, start),
      (error: unknown) => {
        world.violations.push(`S10: ${run.name} threw ${String(error)}`);
      },
    );
  };
  world.offerNext = () => offer(world, start);
  world.offerNext();
  for (const deed of scenario.deeds) world.scheduler.after(deed.atMs, () => doDeed(world, deed));
  scheduleSweeps(world, options.wiring ?? {});
  await settle(world);
  leftOvers(world);
  sweepPastTtl(world);
  const { rewound } = world;
  await undisturbed(world);
  const { sweptCount, codes, raceCount, windowCount, log, violations, runs, scheduler } = world;
  return {
    scenario,
    violations,
    struck: fates.struck,
    executionCount: runs.length,
    eventCount: scheduler.eventCount,
    codes,
    raceCount,
    sweptCount,
    windowCount,
    rewound,
    log,
  };
}

/** S10: everything comes to an end. */
async function settle(world: SimWorld): Promise<void> {
  if (!(await world.scheduler.run())) world.violations.push("S10: the run does not come to an end");
  for (const { end, name } of world.runs) if (end === "") world.violations.push(`S10: ${name} never ended`);
}

/** S7: what is left before the last sweep is somebody's who died or whose merge may land. */
function leftOvers(world: SimWorld): void {
  for (const [name, { by }] of world.branches) {
    world.check([s7LeftOver], { name, end: by.end, cleanupFailed: by.cleanupFailed, mayLand: by.mayLand });
  }
}

/** S13: a rerun of the last step that nobody disturbs completes, unless a foreign commit lies in its range. */
async function undisturbed(world: SimWorld): Promise<void> {
  const { step, input } = currentTask(world.engine);
  world.tell("an undisturbed rerun");
  world.fates.isCalm = true;
  world.rewound = false;
  world.giveUpOutputs();
  world.engine = rerun(world.engine, step);
  world.executionLimit = world.runs.length + 1;
  world.offerNext();
  await settle(world);
  const last = world.runs[world.executionLimit - 1];
  if (last === undefined) return void world.violations.push("S13: the rerun was not handed out");
  const range = world.repository.history(world.head).slice(0, -1);
  const walked = range.slice(0, range.findIndex(({ id }) => id === input) >>> 0);
  const mayPublish = walked.every((commit) => isOwn(commit, last.logicalTaskKey));
  if (mayPublish !== (last.end === "completed")) {
    world.violations.push(
      `S13: an undisturbed rerun ended ${last.end}, its range ${mayPublish ? "is its own" : "has foreign commits"}`,
    );
  }
}
