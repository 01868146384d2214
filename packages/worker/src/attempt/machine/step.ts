import { run, project, seal } from "./body.ts";
import { deleteStaging, releaseExecutor, removeFolder } from "./cleanup.ts";
import { extendLease, merge, pauseMerge, pinHead, recheckAttempt } from "./confirm.ts";
import type { AttemptFacts } from "./facts.ts";
import { checkAttempt, compareOwn, fenceBase, listStaging } from "./fences.ts";
import { verifyHardFence } from "./hard-fence.ts";
import { checkPre, fenceEarly, syncIn } from "./folder.ts";
import { begin, resolve, validate } from "./input.ts";
import type { Order, PhaseName } from "./order.ts";
import { pauseReadBack, pauseReport, readBack, readForReport, report, stopLease } from "./report.ts";
import { readHistory, readPublished } from "./settle.ts";
import { commitStaging, createStaging, discardStaging, openStaging, stage, verifyStaging } from "./staging.ts";
import type { AnyState, Answered, Decision, Effect, Event, Phase, Refused, Signal, State } from "./state.ts";
import { fail } from "./ending.ts";

/** One phase of each name. */
export type Phases = { readonly [P in PhaseName]: Phase<P> };

/** Which file decides what follows each phase, in the order of the transaction. */
export const PHASES: Phases = {
  validate,
  resolve,
  fenceEarly,
  syncIn,
  checkPre,
  run,
  openStaging,
  seal,
  project,
  checkAttempt,
  fenceBase,
  compareOwn,
  listStaging,
  discardStaging,
  createStaging,
  stage,
  commitStaging,
  verifyStaging,
  verifyHardFence,
  pinHead,
  recheckAttempt,
  extendLease,
  merge,
  pauseMerge,
  readPublished,
  readHistory,
  stopLease,
  readForReport,
  report,
  pauseReport,
  readBack,
  pauseReadBack,
  deleteStaging,
  removeFolder,
  releaseExecutor,
};

/** What one step leads to. */
export interface Step {
  readonly state: AnyState;
  readonly effects: readonly Effect[];
}

/** The transaction over one set of phases. */
export interface Machine {
  /** The first state of an execution and the first thing to ask. */
  readonly start: (facts: AttemptFacts) => Step;
  /**
   * The whole transaction: state and event in, state and effects out. Pure: no clock, no chance, no I/O.
   * An event of a phase that is not the state's is our own mistake and throws.
   */
  readonly step: <P extends PhaseName>(state: AnyState, event: Event<P>) => Step;
  /** What the phase asks, in its state. */
  readonly question: <P extends PhaseName>(name: P, state: State<P>) => Order[P]["args"];
}

/** Makes the machine. Only the simulation passes other phases than `PHASES`: mutants, to show that each rule counts. */
export function createMachine(phases: Phases): Machine {
  const decide = <P extends PhaseName>(name: P, state: State<P>, event: Answered<P> | Refused<P>): Decision => {
    const phase: Phase<P> = phases[name];
    if (event.type === "answered") return phase.answered(state, event.answer, event.clock);
    if (phase.refused !== undefined) return phase.refused(state, event.failure, event.clock);
    return fail(state, event.failure);
  };
  return {
    start: (facts) => afterDecision(begin(facts)),
    step(state, event) {
      if (event.type === "signalled") return signalled(state, event.signal);
      if (!isOf(event.phase, state)) {
        throw new Error(`${event.phase} was answered while the attempt was in ${state.phase}`);
      }
      return afterDecision(decide(event.phase, state, event));
    },
    question(name, state) {
      const phase: Phase<typeof name> = phases[name];
      return phase.ask(state);
    },
  };
}

/** The machine of production. */
export const { start, step, question } = createMachine(PHASES);

function afterDecision({ next, notes = [] }: Decision): Step {
  const told: Effect[] = notes.map((note) => ({ do: "note", note }));
  return { state: next, effects: next.phase === "done" ? told : [...told, { do: "ask", phase: next.phase }] };
}

/** The first signal counts; a running body is told, and the phases after it are held by the fences (rules A2, A4). */
function signalled(state: AnyState, signal: Signal): Step {
  if (state.signal !== undefined || state.phase === "done") return { state, effects: [] };
  const told = { ...state, signal };
  return { state: told, effects: state.phase === "run" ? [{ do: "cancel_body", signal }] : [] };
}

/** Whether the state is in that phase; narrows it for `question`. */
export function isOf<P extends PhaseName>(name: P, state: AnyState): state is AnyState & State<P> {
  return state.phase === name;
}
