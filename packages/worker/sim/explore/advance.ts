import type { Order, PhaseName } from "../../src/attempt/machine/order.ts";
import type { AnyState, Event, Note } from "../../src/attempt/machine/state.ts";
import { broken, DECIDING, s10Accepted, s1Walked } from "../invariants/attempt.ts";
import { ANSWERS } from "./answers.ts";
import type { Context } from "./context.ts";
import { taskNow, type Option, type Scene } from "./scene.ts";
import { spend, withExecution, type Execution, type World } from "./world.ts";

/** One thing that can happen next. */
export interface Successor {
  readonly label: string;
  readonly world: World;
  /** Invariants that it broke. */
  readonly broken: readonly string[];
}

/** Phases that touch nothing another execution can see: they are taken together with the step before them. */
const localPhases: ReadonlySet<PhaseName> = new Set([
  "validate",
  "resolve",
  "syncIn",
  "checkPre",
  "run",
  "seal",
  "project",
  "compareOwn",
  "stage",
  "commitStaging",
  "verifyStaging",
  "verifyHardFence",
  "extendLease",
  "pauseMerge",
  "pauseReport",
  "pauseReadBack",
  "removeFolder",
  "releaseExecutor",
]);
const fencePhases: ReadonlySet<PhaseName> = new Set(["fenceEarly", "fenceBase", "pinHead"]);
const maxLocalSteps = 100;
const clock = { nowMs: 0, leaseDeadlineMs: 600_000 };
const lapsedClock = { nowMs: 0, leaseDeadlineMs: -1 };
const unavailable = { code: "server_unavailable", message: "no answer", hint: "" } as const;
const unstageable = { code: "workspace_unstageable", message: "not the plan", hint: "" } as const;

/** Everything that one execution can do next, with every answer that the budget affords. */
export function advance(context: Context, world: World, index: number): readonly Successor[] {
  const execution = executionAt(world, index);
  if (execution.end !== "") return [];
  const { phase } = context.machine.state(execution.state);
  if (phase === "done") throw new Error("an execution that is done was not ended");
  const scene = { context, world, index, execution };
  return options(scene, phase)
    .filter(({ fault }) => fault === undefined || world.budget[fault] > 0)
    .map((option) => {
      const stepped = afterOption(scene, phase, option);
      const label = `${index}: ${phase}${option.how === "" ? "" : ` ${option.how}`}`;
      return { ...settle(context, stepped, index), label };
    });
}

/** Takes all steps that nobody else can see. */
export function settle(context: Context, from: Omit<Successor, "label">, index: number): Omit<Successor, "label"> {
  let { world } = from;
  const failures = [...from.broken];
  for (let count = 0; count < maxLocalSteps; count += 1) {
    const execution = executionAt(world, index);
    if (execution.end !== "") return { world, broken: failures };
    const { phase } = context.machine.state(execution.state);
    if (phase === "done") return { world: ended(world, index, endOf(context, execution)), broken: failures };
    if (!isLocal(context, phase)) return { world, broken: failures };
    const scene = { context, world, index, execution };
    const [option] = options(scene, phase);
    if (option === undefined) throw new Error(`${phase} has no answer`);
    const stepped = afterOption(scene, phase, option);
    world = stepped.world;
    failures.push(...stepped.broken);
  }
  throw new Error("an execution took more steps by itself than any order has");
}

function isLocal({ scope }: Context, phase: PhaseName): boolean {
  return (
    localPhases.has(phase) && !(phase === "commitStaging" && (scope.budget.intruder > 0 || scope.budget.unfence > 0))
  );
}

type AnyOption = Option<Order[PhaseName]["answer"]>;

function options<P extends PhaseName>(scene: Scene, phase: P): readonly Option<Order[P]["answer"]>[] {
  return ANSWERS[phase](scene, scene.context.machine.question(phase, scene.execution.state));
}

function afterOption(scene: Scene, phase: PhaseName, option: AnyOption): Omit<Successor, "label"> {
  const { context, index, execution } = scene;
  const world = option.fault === undefined ? option.world : spend(option.world, option.fault);
  const text = `${option.text}${execution.lapsed ? "!" : ""}`;
  const { key } = execution.fixed;
  const moved = context.machine.step(execution.state, text, () => eventOf(phase, option, execution), key);
  const next = { ...executionAt(world, index), state: moved.state };
  const after = withExecution(world, index, next);
  const failures = [...(option.broken ?? []), ...checks(scene, phase, after, moved.notes, option)];
  return { world: afterRace(scene, phase, remembering(scene, phase, after, option)), broken: failures };
}

function eventOf(phase: PhaseName, { answer }: AnyOption, { lapsed }: Execution): Event {
  const reading = lapsed ? lapsedClock : clock;
  if (answer !== undefined) return { type: "answered", phase, answer: answer.value, clock: reading };
  return { type: "refused", phase, failure: phase === "verifyStaging" ? unstageable : unavailable, clock: reading };
}

function checks(
  scene: Scene,
  phase: PhaseName,
  world: World,
  notes: readonly Note[],
  option: AnyOption,
): readonly string[] {
  const { context, index } = scene;
  const execution = executionAt(world, index);
  const state = context.machine.state(execution.state);
  const failures: string[] = [];
  if (fencePhases.has(phase) && option.answer !== undefined) failures.push(...walked(scene, state, notes));
  if (state.phase === "stopLease" && phase !== "stopLease") failures.push(...decided(context, world, execution, state));
  if (phase === "readBack" && "reported" in state && state.reported === "accepted") {
    const status = state.outcome.kind === "completed" ? "COMPLETED" : statusNow(scene, world);
    failures.push(
      ...broken([s10Accepted], { status, held: execution.fixed.task, task: taskNow({ world, execution }) }),
    );
  }
  return failures;
}

/** A failure may be FAILED or terminal: which of the two is the result table's affair. */
function statusNow({ execution }: Scene, world: World): string {
  const { status } = taskNow({ world, execution });
  return status === "FAILED_WITH_TERMINAL_ERROR" ? status : "FAILED";
}

function walked({ context, world, execution }: Scene, state: AnyState, notes: readonly Note[]): readonly string[] {
  const inputRef = context.repository.commit(execution.fixed.input).id;
  const refused = state.phase === "stopLease" || state.phase === "readHistory";
  const commits = context.repository.range(world.head, inputRef, Infinity);
  return broken([s1Walked], { commits, inputRef, refused, noteNames: notes.map(({ name }) => name) });
}

function decided({ repository }: Context, world: World, execution: Execution, state: AnyState): readonly string[] {
  if (!("outcome" in state)) return [];
  const { outcome } = state;
  const own = execution.stagingCommit;
  return broken(DECIDING, {
    repository,
    head: world.head,
    stagingCommitId: own < 0 ? undefined : repository.commit(own).id,
    outcome: outcome.kind === "failed" ? outcome.failure.code : outcome.kind,
    by: outcome.kind === "completed" ? outcome.by : undefined,
    ref: outcome.kind === "completed" ? outcome.ref : undefined,
  });
}

/** Keeps what S7 needs: whether a merge that was sent could still land when the execution decided how to end. */
function remembering({ context, index }: Scene, phase: PhaseName, world: World, { answer }: AnyOption): World {
  const execution = executionAt(world, index);
  const state = context.machine.state(execution.state);
  if (phase !== "readHistory" || state.phase !== "stopLease") return world;
  // A history that could not be read says nothing about the merge.
  const isUnread = answer === undefined;
  const mayLand = isUnread || state.owned.merge?.expectedHead === context.repository.commit(world.head).id;
  return mayLand ? withExecution(world, index, { ...execution, mayLand }) : world;
}

/** The mutant of rule C7. */
function afterRace({ context, index }: Scene, phase: PhaseName, world: World): World {
  if (context.wiring.resetAfterRace !== true || phase !== "readPublished") return world;
  const state = context.machine.state(executionAt(world, index).state);
  const lost = "outcome" in state && state.outcome.kind === "failed" && state.outcome.failure.code === "publish_race";
  return lost ? { ...world, head: context.repository.commit(world.head).parent } : world;
}

/** The execution at that place. */
export function executionAt(world: World, index: number): Execution {
  const execution = world.executions[index];
  if (execution === undefined) throw new Error(`no execution ${index}`);
  return execution;
}

function endOf({ machine }: Context, { state }: Execution): string {
  const { outcome } = stateWithOutcome(machine.state(state));
  return outcome.kind === "failed" ? outcome.failure.code : outcome.kind;
}

function stateWithOutcome(state: AnyState): Extract<AnyState, { outcome: unknown }> {
  if ("outcome" in state) return state;
  throw new Error(`${state.phase} has no outcome`);
}

/** The execution is over; what the checks need no more is forgotten, so that equal worlds look equal. */
export function ended(world: World, index: number, end: string): World {
  const { fixed, branch, beat, mayLand, copied } = executionAt(world, index);
  const rest = { ...(branch === undefined ? {} : { branch }), ...(beat === undefined ? {} : { beat }) };
  const over = { fixed, state: -1, end, stagingCommit: -1, lapsed: false, wasStale: false, mayLand, copied, ...rest };
  return withExecution(world, index, over);
}
