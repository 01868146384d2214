import type { Order, PhaseName } from "../../src/attempt/machine/order.ts";
import { PHASES, type Phases } from "../../src/attempt/machine/step.ts";
import type { ClockReading, Common, Decision, Outcome, Phase, State } from "../../src/attempt/machine/state.ts";
import type { TaskRead } from "../../src/attempt/ports/attempt-source.ts";
import type { CommitRange } from "../../src/attempt/ports/target-store.ts";

/** Changes phases from outside; the machine's own files stay as they are. */
export type Mutation = (phases: Phases) => Phases;

/** Another decision in one phase. `original` is what the phase decides without the mutation. */
export function deciding<P extends PhaseName>(
  name: P,
  decide: (state: State<P>, answer: Order[P]["answer"], original: () => Decision, clock: ClockReading) => Decision,
): Mutation {
  return (phases) => {
    const phase: Phase<P> = phases[name];
    const answered: Phase<P>["answered"] = (state, answer, clock) =>
      decide(state, answer, () => phase.answered(state, answer, clock), clock);
    return { ...phases, [name]: { ...phase, answered } };
  };
}

/** The phase believes another answer than it got. */
export function believing<P extends PhaseName>(
  name: P,
  change: (state: State<P>, answer: Order[P]["answer"]) => Order[P]["answer"],
): Mutation {
  return (phases) => {
    const phase: Phase<P> = phases[name];
    const answered: Phase<P>["answered"] = (state, answer, clock) =>
      phase.answered(state, change(state, answer), clock);
    return { ...phases, [name]: { ...phase, answered } };
  };
}

/** The phase asks for something else. */
export function asking<P extends PhaseName>(
  name: P,
  change: (args: Order[P]["args"], state: State<P>) => Order[P]["args"],
): Mutation {
  return (phases) => {
    const phase: Phase<P> = phases[name];
    return { ...phases, [name]: { ...phase, ask: (state: State<P>) => change(phase.ask(state), state) } };
  };
}

/** A refusal counts as this answer. */
export function ignoringRefusal<P extends PhaseName>(name: P, answer: Order[P]["answer"]): Mutation {
  return (phases) => {
    const phase: Phase<P> = phases[name];
    const refused: Phase<P>["refused"] = (state, _, clock) => phase.answered(state, answer, clock);
    return { ...phases, [name]: { ...phase, refused } };
  };
}

/** Several mutations at once. */
export function all(...mutations: readonly Mutation[]): Mutation {
  return (phases) => mutations.reduce((changed, mutation) => mutation(changed), phases);
}

/** The three evaluations of the publish fence see another range. */
export function seeing(change: (state: Common, range: CommitRange) => CommitRange): Mutation {
  return all(believing("fenceEarly", change), believing("fenceBase", change), believing("pinHead", change));
}

/** A range whose walked commits have other metadata; the head and the input ref stay. */
export function rewritten(
  range: CommitRange,
  change: (metadata: Readonly<Record<string, string>>) => Readonly<Record<string, string>>,
): CommitRange {
  return { ...range, commits: range.commits.map((commit) => ({ ...commit, metadata: change(commit.metadata) })) };
}

/** A read that shows the attempt as current. */
export function currentRead({ facts }: Common): TaskRead {
  const { workflowInstanceId, taskId, retryCount, scheduledTime, pollCount, workerId } = facts.polled;
  const identity = { workflowInstanceId, taskId, retryCount, scheduledTime, pollCount, workerId };
  return { ...identity, status: "IN_PROGRESS", hasResult: false };
}

/** What the second check decides of an attempt that is current: the way to the merge. */
export function sending(state: State<"recheckAttempt">, clock: ClockReading): Decision {
  return PHASES.recheckAttempt.answered(state, currentRead(state), clock);
}

/** The way to the report. */
export function ending({ facts, owned }: Common, outcome: Outcome): Decision {
  return { next: { phase: "stopLease", facts, owned, outcome } };
}
