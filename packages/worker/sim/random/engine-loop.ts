import { isStagingBranchName } from "@perago/fence";
import { PREFIX } from "../model/trees.ts";
import {
  currentTask,
  handOut,
  isFinal,
  rerun,
  restart,
  taskOf,
  timeOut,
  type Engine,
  type Task,
} from "../model/engine.ts";
import { diceOf } from "./dice.ts";
import type { Deed } from "./scenario.ts";
import type { SimWorld } from "./world.ts";

/** Starts an execution of a task that was handed out. */
export type Start = (task: Task) => void;

/** Looks whether a task waits for a worker, and hands it out after a while. */
export function offer(world: SimWorld, start: Start): void {
  const { id, status, scheduledTime } = currentTask(world.engine);
  if (status !== "SCHEDULED") return;
  const name = `hand-out of ${id} at ${scheduledTime}`;
  const dice = diceOf(world.scenario.seed, name);
  world.scheduler.after(dice.between(1, 2000), () => {
    const task = taskOf(world.engine, id);
    if (task.status !== "SCHEDULED" || task.scheduledTime !== scheduledTime) return;
    deliver(world, start, id);
    // The acknowledgement is lost: the queue hands the task out again.
    const again = dice.chance(world.scenario.redeliveryRate) && world.fates.allows(`${name} again`);
    if (again) world.scheduler.after(dice.between(2000, 70_000), () => redeliver(world, start, id, scheduledTime));
  });
}

function redeliver(world: SimWorld, start: Start, id: string, scheduledTime: number): void {
  const task = taskOf(world.engine, id);
  if (task.status === "IN_PROGRESS" && task.scheduledTime === scheduledTime) deliver(world, start, id);
}

function deliver(world: SimWorld, start: Start, id: string): void {
  const { runs, scenario } = world;
  if (runs.length >= world.executionLimit) return;
  const host = diceOf(scenario.seed, `host ${runs.length}`).between(0, 2);
  world.engine = handOut(world.engine, id, `host${host}`);
  const task = taskOf(world.engine, id);
  watchLease(world, task);
  start(task);
}

/** The response timeout, noticed late where a heartbeat was sent (servers.md: 50 to 90 s). */
export function watchLease(world: SimWorld, { id }: Task): void {
  const { scenario, scheduler } = world;
  world.leases.set(id, scheduler.nowMs);
  const lateMs = diceOf(scenario.seed, `sweep of ${id} at ${scheduler.nowMs}`).pick([100, 100, 5000, 70_000]);
  const dueMs = scenario.responseTimeoutSeconds * 1000;
  scheduler.after(dueMs + lateMs, () => {
    const isQuiet = scheduler.nowMs - (world.leases.get(id) ?? 0) >= dueMs;
    if (taskOf(world.engine, id).status !== "IN_PROGRESS" || !isQuiet) return;
    world.tell(`${id} times out`);
    world.engine = timeOut(world.engine, id, world.rules);
    world.offerNext();
  });
}

/** What people do. */
export function doDeed(world: SimWorld, { name, kind }: Deed): void {
  if (!world.fates.allows(`${name} ${kind}`)) return;
  if (kind === "foreign") return world.commitForeign("f");
  if (kind === "intruder") return intrude(world);
  if (kind === "unfence") return world.removeHardFence();
  const task = currentTask(world.engine);
  if (task.pollCount === 0 && !isFinal(task)) return;
  world.tell(kind);
  world.giveUpOutputs();
  world.engine = asked(world.engine, kind, task);
  world.offerNext();
}

function asked(engine: Engine, kind: Deed["kind"], task: Task): Engine {
  if (kind === "rerun") return rerun(engine, task.step);
  if (kind === "restart") return restart(engine);
  const canceled = engine.tasks.map((other) => (isFinal(other) ? other : { ...other, status: "CANCELED" }));
  return { ...engine, tasks: canceled };
}

function intrude(world: SimWorld): void {
  for (const [name, branch] of world.branches) {
    if (!isStagingBranchName(name)) continue;
    const tree = new Map([...world.repository.commit(branch.head).tree, [`${PREFIX}intruder`, "1"]]);
    branch.head = world.repository.add(branch.head, tree, {});
    branch.sinceMs = world.scheduler.nowMs;
    world.tell(`somebody commits to ${name}`);
  }
}
