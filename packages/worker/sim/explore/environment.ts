import { KEY, startExecution, type Context } from "./context.ts";
import { currentTask, handOut, isFinal, rerun, restart, timeOut, writeBack, type Engine } from "../model/engine.ts";
import { isSwept } from "../model/sweep.ts";
import { ACTION, PREFIX, type Tree } from "../model/trees.ts";
import { ended, executionAt, settle, type Successor } from "./advance.ts";
import { performMerge } from "./scene.ts";
import { encodeTask, spend, withExecution, type Execution, type Fault, type World } from "./world.ts";

type Doing = (context: Context, world: World) => readonly Successor[];

/** Everything that happens outside the executions: the engine, people, the network, and death. */
export function environment(context: Context, world: World): readonly Successor[] {
  return doings.flatMap((doing) => doing(context, world));
}

/** Whether the engine can still hand something out. */
export function canHandOut({ scope }: Context, { engine, executions }: World): boolean {
  return currentTask(engine).status === "SCHEDULED" && executions.length < scope.bodies.length;
}

const handOutNext: Doing = (context, world) =>
  canHandOut(context, world) ? [deliver(context, world, currentTask(world.engine).id, "hand out")] : [];

const redeliver: Doing = (context, world) => {
  const task = currentTask(world.engine);
  const may = task.status === "IN_PROGRESS" && world.executions.length < context.scope.bodies.length;
  return may ? paid(world, "redeliver", (spent) => deliver(context, spent, task.id, "hand out again")) : [];
};

/** Hands a task to a new execution, which goes on to its first question. */
export function deliver(context: Context, world: World, id: string, label: string): Successor {
  const index = world.executions.length;
  const engine = handOut(world.engine, id, context.scope.oneHost === true ? "w" : `w${index}`);
  const task = engine.tasks.find((candidate) => candidate.id === id) ?? currentTask(engine);
  const executions = [...world.executions, startExecution(context, index, task)];
  const started = { world: { ...world, engine, executions }, broken: [] };
  return { ...settle(context, started, index), label: `${label} ${id} to ${index}` };
}

const timeOuts: Doing = (context, world) =>
  world.engine.tasks
    .filter(({ status }) => status === "IN_PROGRESS")
    .flatMap(({ id }) =>
      paid(world, "timeout", (spent) => changed(spent, timeOut(spent.engine, id, context.rules), `${id} times out`)),
    );

const asking: Doing = (_, world) => {
  const task = currentTask(world.engine);
  if (task.pollCount === 0 && !isFinal(task)) return [];
  const completions = world.completions.map((completion) => ({ ...completion, asked: true }));
  const asked = { ...world, completions };
  return [
    ...paid(asked, "rerun", (spent) => changed(spent, rerun(spent.engine, 0), "rerun")),
    ...paid(asked, "restart", (spent) => changed(spent, restart(spent.engine), "restart")),
  ];
};

const foreign: Doing = (context, world) => [
  ...paid(world, "foreign", (spent) => commitByHand(context, spent, [`${PREFIX}f`, "1"], {}, "a foreign commit")),
  ...(world.executions.length === 0 ? beforeAll(context, world) : []),
];

/** An earlier attempt, with the task as it was declared then, has published below another prefix (rule P4). */
const beforeAll: Doing = (context, world) =>
  paid(world, "otherPrefix", (spent) =>
    commitByHand(context, spent, ["other/x", "1"], otherPrefixMetadata, "an attempt with another prefix publishes"),
  );

const otherPrefixMetadata = {
  "perago.phase": "confirm",
  "perago.logical_task_key": KEY,
  "perago.prefix": "other/",
  "perago.task_id": "t0",
  "perago.retry_count": "0",
  "perago.scheduled_time": "0",
};

function commitByHand(
  { repository }: Context,
  world: World,
  [key, content]: readonly [string, string],
  metadata: Readonly<Record<string, string>>,
  label: string,
): Successor {
  const tree = new Map([...repository.commit(world.head).tree, [key, content]]);
  return { label, world: { ...world, head: repository.add(world.head, tree, metadata) }, broken: [] };
}

const intruders: Doing = (context, world) =>
  touching(context, world, "intruder", "writes to", (tree) => new Map([...tree, [`${PREFIX}intruder`, "1"]]));

const unfencers: Doing = (context, world) => {
  if (!context.scope.hardFence) return [];
  const { tree } = context.repository.commit(world.head);
  const label = "somebody removes the hard fence from the target";
  const fromTarget = tree.has(ACTION)
    ? paid(world, "unfence", (spent) => ({
        label,
        world: { ...spent, head: context.repository.add(spent.head, unfenced(tree), {}) },
        broken: [],
      }))
    : [];
  return [...fromTarget, ...touching(context, world, "unfence", "removes the hard fence from", unfenced)];
};

function unfenced(tree: Tree): Tree {
  return new Map([...tree].filter(([key]) => key !== ACTION));
}

/** Somebody changes a staging branch: what is uncommitted on it, or by a commit of their own. */
function touching(
  context: Context,
  world: World,
  fault: "intruder" | "unfence",
  does: string,
  touched: (tree: Tree) => Tree,
): readonly Successor[] {
  if (world.budget[fault] === 0) return [];
  return world.executions.flatMap((execution, index) => {
    const { branch } = execution;
    if (branch === undefined) return [];
    const label = `somebody ${does} the staging branch of ${index}`;
    const head = (): number =>
      context.repository.add(branch.head, touched(context.repository.commit(branch.head).tree), {});
    const changedBranch =
      branch.tree === undefined ? { ...branch, head: head() } : { ...branch, tree: touched(branch.tree) };
    return paid(world, fault, (spent) => ({
      label,
      world: withExecution(spent, index, { ...execution, branch: changedBranch }),
      broken: [],
    }));
  });
}

const landings: Doing = (context, world) =>
  world.flights.map(({ by, request }, at) => {
    const rest = { ...world, flights: world.flights.filter((_, other) => other !== at) };
    const { world: after, commit, broken } = performMerge(context, rest, by, request);
    return { label: `late merge of ${by} ${commit === undefined ? "is refused" : "lands"}`, world: after, broken };
  });

/** Phases after the lease was stopped: no heartbeat starts in them. */
const afterLease = new Set(["readForReport", "report", "pauseReport", "readBack", "pauseReadBack", "deleteStaging"]);

const heartbeats: Doing = (context, world) =>
  world.executions.flatMap((execution, index) => {
    if (execution.beat !== undefined) return [writeHeartbeat(context, world, index)];
    const { id } = execution.fixed.task;
    const snapshot = world.engine.tasks.find((task) => task.id === id);
    const beats = execution.end === "" && !afterLease.has(context.machine.state(execution.state).phase);
    if (!beats || snapshot?.status !== "IN_PROGRESS") return [];
    const label = `${index}: a heartbeat reads the task`;
    const beat = { snapshot, gaveUp: false };
    return paid(world, "beat", (spent) => ({
      label,
      world: withExecution(spent, index, { ...execution, beat }),
      broken: [],
    }));
  });

/** The engine writes the task back as the heartbeat read it. */
export function writeHeartbeat(context: Context, world: World, index: number): Successor {
  const { beat, ...execution } = executionAt(world, index);
  if (beat === undefined) throw new Error("no heartbeat is in flight");
  const now = world.engine.tasks.find(({ id }) => id === beat.snapshot.id);
  const without = withExecution(world, index, execution);
  const engine = writeBack(world.engine, beat.snapshot);
  const back = now !== undefined && now.status !== "GONE" && encodeTask(now) !== encodeTask(beat.snapshot);
  // Rule R4 is what keeps an execution's own heartbeat behind its result: that one is not the engine's fault.
  const excused = back && !(isReporting(context, execution) && !beat.gaveUp);
  const completions = excused ? world.completions.map((done) => ({ ...done, asked: true })) : world.completions;
  const label = `${index}: the heartbeat is written${back ? " over a newer record" : ""}`;
  return { label, world: { ...without, engine, completions, rewound: world.rewound || excused }, broken: [] };
}

function isReporting({ machine }: Context, { end, state }: Execution): boolean {
  if (end !== "") return end !== "crashed";
  return afterLease.has(machine.state(state).phase);
}

const deaths: Doing = (context, world) =>
  world.executions.flatMap((execution, index) => {
    if (execution.end !== "") return [];
    const dead = (from: World): World => ended(from, index, "crashed");
    const dies = paid(world, "crash", (spent) => ({ label: `${index}: dies`, world: dead(spent), broken: [] }));
    if (context.machine.state(execution.state).phase !== "merge") return dies;
    const { sendBeforeMs: _, ...request } = context.machine.question("merge", execution.state);
    const flight = { by: index, request: context.requests.numberOf(request) };
    const label = `${index}: dies with its merge under way`;
    const flying = (spent: World): World => dead({ ...spent, flights: [...spent.flights, flight] });
    return [...dies, ...paid(world, "crash", (spent) => ({ label, world: flying(spent), broken: [] }))];
  });

const lapses: Doing = (_, world) =>
  world.executions.flatMap((execution, index) => {
    if (execution.end !== "" || execution.lapsed) return [];
    const late = { ...execution, lapsed: true };
    return paid(world, "lapse", (spent) => ({
      label: `${index}: its lease ends`,
      world: withExecution(spent, index, late),
      broken: [],
    }));
  });

/** No time passes here: only with a mutant's TTL does the predicate of production let a sweep take anything. */
const sweeps: Doing = ({ repository, wiring }, world) => {
  if (wiring.sweepTtlMs === undefined) return [];
  const sweeper = { nowMs: 0, ttlMs: wiring.sweepTtlMs, isHeld: () => false };
  return world.executions.flatMap((execution, index) => {
    const { branch, ...without } = execution;
    if (branch === undefined || execution.end === "") return [];
    const { name } = branch;
    if (!isSwept(repository, { name, head: branch.head, sinceMs: 0 }, sweeper)) return [];
    const label = `a sweep takes the branch of ${index}`;
    return [{ label, world: withExecution(world, index, without), broken: [] }];
  });
};

const doings: readonly Doing[] = [
  handOutNext,
  redeliver,
  timeOuts,
  asking,
  foreign,
  intruders,
  unfencers,
  landings,
  heartbeats,
  deaths,
  lapses,
  sweeps,
];

function paid(world: World, fault: Fault, act: (spent: World) => Successor): readonly Successor[] {
  return world.budget[fault] > 0 ? [act(spend(world, fault))] : [];
}

function changed(world: World, engine: Engine, label: string): Successor {
  return { label, world: { ...world, engine }, broken: [] };
}
