import { AttemptError, type Failure } from "../failure.ts";
import type { AttemptFacts } from "./machine/facts.ts";
import type { Order, PhaseName } from "./machine/order.ts";
import type { AnyState, ClockReading, Done, Effect, Event, Signal, State } from "./machine/state.ts";
import { isOf, question, start, step, type Machine } from "./machine/step.ts";
import { stagingBranches } from "./staging-branches.ts";
import type { AttemptSource, Lease } from "./ports/attempt-source.ts";
import type { Clock } from "./ports/clock.ts";
import type { Executor } from "./ports/executor.ts";
import type { Observer } from "./ports/observer.ts";
import type { TargetStore } from "./ports/target-store.ts";
import type { Workspace } from "./ports/workspace.ts";

/** The outside of one attempt. Production, emulator tests and the simulation implement the same ports. */
export interface AttemptPorts {
  /** Absent only where the task has no workspace. */
  readonly store?: TargetStore;
  readonly workspace?: Workspace;
  readonly source: AttemptSource;
  readonly executor: Executor;
  readonly lease: Lease;
  readonly clock: Clock;
  readonly observer: Observer;
}

/** What one run of the driver needs. */
export interface Drive {
  readonly facts: AttemptFacts;
  readonly ports: AttemptPorts;
  /** Time between the body's AbortSignal and the end of its executor (rule A4). */
  readonly cancelGraceMs: number;
  /** Subscribes to what the host sees from outside; answers how to unsubscribe. */
  readonly subscribe: (listener: (signal: Signal) => void) => () => void;
  /** Default: the machine of production. Only the simulation passes another: a mutant. */
  readonly machine?: Machine;
}

const production: Machine = { start, step, question };

/** More steps than any order can take: a loop without end is our own mistake. */
const maxStepCount = 10_000;

/** Performs one attempt: asks the ports what the machine wants to know, and tells it what happened. Never throws. */
export async function driveAttempt(drive: Drive): Promise<Done> {
  const { facts, ports, cancelGraceMs, subscribe, machine = production } = drive;
  const { observer } = ports;
  let state: AnyState;

  const perform = (effects: readonly Effect[]): void => {
    for (const effect of effects) {
      if (effect.do === "note") observer.note(effect.note);
      if (effect.do === "cancel_body") ports.executor.cancel(effect.signal.reason, cancelGraceMs);
    }
  };
  const apply = (event: Event): void => {
    const stepped = machine.step(state, event);
    state = stepped.state;
    perform(stepped.effects);
  };

  const first = machine.start(facts);
  state = first.state;
  perform(first.effects);
  const signal = (told: Signal): void => apply({ type: "signalled", signal: told });
  const unsubscribe = subscribe(signal);
  const asked = { calls: callsOver(ports, signal), ports, machine };
  try {
    for (let count = 0; count < maxStepCount; count += 1) {
      if (state.phase === "done") return state;
      apply(await ask(asked, state.phase, state));
    }
    throw new Error(`the attempt took more than ${maxStepCount} steps, last in ${state.phase}`);
  } finally {
    unsubscribe();
  }
}

type Calls = { readonly [P in PhaseName]: (args: Order[P]["args"]) => Promise<Order[P]["answer"]> };

/** Whom the driver asks, and what makes the questions. */
interface Asked {
  readonly calls: Calls;
  readonly ports: AttemptPorts;
  readonly machine: Machine;
}

async function ask(asked: Asked, name: PhaseName, state: AnyState): Promise<Event> {
  const { ports } = asked;
  ports.observer.asking?.(name);
  const beginMs = ports.clock.nowMs();
  const event = await call(asked, name, state);
  const refusedWith = event.type === "refused" ? event.failure.code : undefined;
  ports.observer.phase(name, ports.clock.nowMs() - beginMs, refusedWith);
  return event;
}

async function call<P extends PhaseName>(
  { calls, ports, machine }: Asked,
  phase: P,
  state: AnyState,
): Promise<Event<P>> {
  if (!isOf(phase, state)) throw new Error(`${phase} was asked while the attempt was in ${state.phase}`);
  const narrowed: State<P> = state;
  try {
    const answer = await calls[phase](machine.question(phase, narrowed));
    return { type: "answered", phase, answer, clock: readClock(ports) };
  } catch (error) {
    return { type: "refused", phase, failure: failureOf(phase, error, ports.observer), clock: readClock(ports) };
  }
}

function readClock({ clock, lease }: AttemptPorts): ClockReading {
  return { nowMs: clock.nowMs(), leaseDeadlineMs: lease.deadlineMs() };
}

function failureOf(phase: PhaseName, error: unknown, observer: Observer): Failure {
  if (error instanceof AttemptError) return { code: error.code, message: error.message, hint: error.hint };
  observer.unforeseen(phase, error);
  const what = error instanceof Error ? error.name : typeof error;
  return {
    code: "server_unavailable",
    message: `${phase} failed in a way that was not foreseen (${what})`,
    hint: "see the worker's log",
  };
}

/** Which port answers which phase. */
function callsOver(ports: AttemptPorts, signal: (told: Signal) => void): Calls {
  const { source, executor, lease, clock } = ports;
  const store = need(ports.store);
  const workspace = need(ports.workspace);
  const readRange = (args: Order["pinHead"]["args"]): Promise<Order["pinHead"]["answer"]> => store().readRange(args);
  const readTask = ({ taskId }: Order["readBack"]["args"]): Promise<Order["readBack"]["answer"]> => source.read(taskId);
  const branches = stagingBranches(store);
  const pause = ({ delayMs }: { delayMs: number }): Promise<void> => clock.wait(delayMs);
  return {
    validate: ({ inputData }) => executor.validate(inputData),
    resolve: ({ repository, ref }) => store().resolveCommit(repository, ref),
    fenceEarly: readRange,
    syncIn: (args) => workspace().syncIn(args),
    checkPre: () => workspace().checkPre(),
    run: (args) => runBody(ports, args, signal),
    openStaging: (args) => branches.open(args),
    seal: () => executor.seal(),
    project: () => workspace().project(),
    checkAttempt: readTask,
    fenceBase: readRange,
    compareOwn: ({ commitId }) => workspace().equalsCommit(commitId),
    listStaging: ({ repository, namePrefix }) => store().listBranches(repository, namePrefix),
    discardStaging: (args) => branches.remove(args),
    createStaging: (args) => branches.made(args),
    stage: (args) => workspace().stage(args),
    commitStaging: (args) => store().commitStaging(args),
    verifyStaging: (args) => workspace().verifyStaging(args),
    verifyHardFence: (args) => store().readHardFence(args),
    pinHead: readRange,
    recheckAttempt: readTask,
    extendLease: () => lease.extend(),
    // Rule C9: what was checked is too old when the process stood still in between.
    merge: async ({ sendBeforeMs, ...request }) =>
      clock.nowMs() > sendBeforeMs ? { kind: "too_late" } : store().merge(request),
    pauseMerge: pause,
    readPublished: ({ repository, commitId }) => store().readCommit(repository, commitId),
    readHistory: readRange,
    stopLease: () => lease.stop(),
    readForReport: readTask,
    report: ({ timeoutMs, ...report }) => source.report(report, timeoutMs),
    pauseReport: pause,
    readBack: readTask,
    pauseReadBack: pause,
    deleteStaging: (args) => branches.remove(args),
    removeFolder: () => workspace().remove(),
    releaseExecutor: () => executor.release(),
  };
}

/** Rule A5: the body's age is watched from here; what the body does about the signal is its executor's affair. */
async function runBody(
  { executor, clock }: AttemptPorts,
  { endAtMs, ...request }: Order["run"]["args"],
  signal: (told: Signal) => void,
): Promise<Order["run"]["answer"]> {
  if (endAtMs === undefined) return executor.run(request);
  const ended = new AbortController();
  const { taskDefName } = request.attempt;
  const timer = clock.wait(Math.max(0, endAtMs - clock.nowMs()), ended.signal).then(() => {
    if (ended.signal.aborted) return;
    signal({ kind: "body_timeout", reason: `the body of ${taskDefName} ran past the task's timeoutSeconds` });
  });
  try {
    return await executor.run(request);
  } finally {
    ended.abort();
    await timer;
  }
}

function need<T>(port: T | undefined): () => T {
  return () => {
    if (port === undefined) throw new Error("a workspace-free attempt asked for a workspace port");
    return port;
  };
}
