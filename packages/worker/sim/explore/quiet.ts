import { broken, s7LeftOver } from "../invariants/attempt.ts";
import { isOwn } from "../invariants/landing.ts";
import { currentTask, isFinal, rerun, restart, timeOut } from "../model/engine.ts";
import { ACTION } from "../model/trees.ts";
import { advance } from "./advance.ts";
import { KEY, type Context } from "./context.ts";
import { canHandOut, deliver, writeHeartbeat } from "./environment.ts";
import { CALM, type Execution, type World } from "./world.ts";

const maxDrainSteps = 2000;

/** Whether nothing runs and nothing more is handed out. */
export function isQuiet(context: Context, world: World): boolean {
  return world.executions.every(({ end }) => end !== "") && !canHandOut(context, world);
}

/** What must hold when nothing runs any more: S7, S13, and for S10 that it comes to this at all. */
export function quietChecks(context: Context, world: World): readonly string[] {
  return [...leftOvers(world), ...undisturbed(context, world)];
}

function leftOvers({ executions }: World): readonly string[] {
  return executions.flatMap(({ branch, end, fixed, mayLand }) => {
    if (branch === undefined) return [];
    const name = `the branch of ${fixed.facts.executionId}`;
    return broken([s7LeftOver], { name, end, cleanupFailed: branch.kept === true, mayLand });
  });
}

/** S13: a rerun and a restart that nobody disturbs complete, or a foreign commit lies in their range. */
function undisturbed(context: Context, world: World): readonly string[] {
  const { repository, root, scope } = context;
  const range = repository.history(world.head).filter(({ number }) => number !== root);
  const isOpen = scope.mode !== "required" || repository.commit(world.head).tree.has(ACTION);
  const isOwnRange = range.every((commit) => isOwn(commit, KEY) && commit.metadata["perago.prefix"] === "data/");
  const mayPublish = isOpen && isOwnRange;
  const executions = world.executions.map(withoutHeartbeat);
  const calm = { ...world, executions, budget: CALM, flights: [] };
  return [rerun(world.engine, 0), restart(world.engine)].flatMap((engine) => {
    const completions = world.completions.map((done) => ({ ...done, asked: true }));
    const asked = { ...calm, engine, completions, rewound: false };
    const delivered = deliver(context, asked, currentTask(engine).id, "undisturbed");
    const drained = drain(context, delivered.world);
    const end = drained.world.executions.at(-1)?.end;
    if (mayPublish === (end === "completed")) return drained.broken;
    return [`S13: an undisturbed run ended ${end}, and it ${mayPublish ? "could" : "must not"} publish`];
  });
}

function withoutHeartbeat(execution: Execution): Execution {
  const { beat: _, ...rest } = execution;
  return rest;
}

/** Runs every execution to its end without a fault (rule S10). */
export function drain(context: Context, from: World): { readonly world: World; readonly broken: readonly string[] } {
  let world: World = { ...from, budget: CALM };
  const failures: string[] = [];
  for (let count = 0; count < maxDrainSteps; count += 1) {
    const beating = world.executions.findIndex(({ beat }) => beat !== undefined);
    const running = world.executions.findIndex(({ end }) => end === "");
    if (running < 0) return { world, broken: failures };
    const [next] = beating >= 0 ? [writeHeartbeat(context, world, beating)] : advance(context, world, running);
    if (next === undefined) return { world, broken: [...failures, `S10: execution ${running} cannot go on`] };
    world = next.world;
    failures.push(...next.broken);
  }
  return { world, broken: [...failures, "S10: the executions do not come to an end"] };
}

/** S10: from here, with faults stopped, everything ends: time-outs and retries included. */
export function comesToAnEnd(context: Context, from: World): readonly string[] {
  let { world } = drain(context, from);
  const failures: string[] = [];
  for (let count = 0; count <= context.scope.maxRetryCount + 1; count += 1) {
    const task = currentTask(world.engine);
    if (isFinal(task)) return failures;
    const engine = task.status === "IN_PROGRESS" ? timeOut(world.engine, task.id, context.rules) : world.engine;
    const next = currentTask(engine);
    if (isFinal(next)) return failures;
    const drained = drain(context, deliver(context, { ...world, engine }, next.id, "retry").world);
    world = drained.world;
    failures.push(...drained.broken);
  }
  return [...failures, "S10: the workflow does not come to an end"];
}
