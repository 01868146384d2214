import { checkAttempt as decideAttempt, stagingBranchPrefix } from "@perago/fence";
import type { TaskRead } from "../ports/attempt-source.ts";
import { end, fail, failure } from "./ending.ts";
import { judge, readRangeArgs } from "./publish-decision.ts";
import { enterStaging } from "./staging.ts";
import type { ClockReading, Common, Decision, Knows, Outcome, Phase } from "./state.ts";

/** Rules A1 and A3 over one fresh read: nothing where the attempt is still ours, else how it ends. */
export function attemptOutcome({ facts }: Common, read: TaskRead | null, clock: ClockReading): Outcome | undefined {
  const { polled } = facts;
  const verdict = decideAttempt({ held: polled, read, ...clock });
  if (verdict.verdict === "current") return undefined;
  const attempt = `attempt ${polled.retryCount} of ${polled.referenceTaskName} (task ${polled.taskId})`;
  const message = `${attempt} is no longer current: ${verdict.reason}`;
  if (verdict.verdict === "held_elsewhere") return { kind: "silent", reason: message };
  const seen = read === null ? "" : `, status ${read.status}`;
  return {
    kind: "failed",
    failure: failure(
      "attempt_stale",
      `${message}${seen}`,
      "look at the workflow in Conductor; a newer attempt publishes",
    ),
  };
}

/** Rule A2, first time: after body and post guardrails, before staging. */
export const checkAttempt: Phase<"checkAttempt"> = {
  ask: ({ facts }) => ({ taskId: facts.polled.taskId }),
  answered(state, read, clock) {
    const outcome = attemptOutcome(state, read, clock);
    return outcome === undefined ? { next: { ...state, phase: "fenceBase" } } : end(state, outcome);
  },
};

/** Rule P5, before staging: the head accepted here is the base of the staging branch (rule T4). */
export const fenceBase: Phase<"fenceBase"> = {
  ask: readRangeArgs,
  answered(state, range) {
    const judgement = judge(state, range);
    const { notes } = judgement;
    if (judgement.kind === "refuse") return fail(state, judgement.failure);
    if (judgement.kind === "own_delivery") {
      if (!judgement.isHead) return fail(state, judgement.failure, notes);
      return { next: { ...state, phase: "compareOwn", own: judgement.commitId, refusal: judgement.failure }, notes };
    }
    const based = { ...state, base: judgement.head, supersedes: judgement.supersedes };
    return mayCommitNothing(based) ? { next: { ...based, phase: "listStaging" }, notes } : enterStaging(based, notes);
  },
};

/** Rule P9: this delivery's own commit is the head; it is adopted where it holds exactly this folder, after A2. */
export const compareOwn: Phase<"compareOwn"> = {
  ask: ({ own }) => ({ commitId: own }),
  answered(state, equal) {
    if (!equal) return fail(state, state.refusal);
    return { next: { ...state, phase: "recheckAttempt", base: state.own, supersedes: "", round: 0, adopt: state.own } };
  },
};

/**
 * Rule R2: an older merge that is under way is stopped by a moved head only, so a branch that is listed makes us
 * publish. The one that this execution has begun has no merge.
 */
export const listStaging: Phase<"listStaging"> = {
  ask: ({ input, facts }) => ({
    repository: input.repository,
    namePrefix: stagingBranchPrefix(facts.logicalTaskKey),
  }),
  answered(state, branches): Decision {
    const others = branches.filter((name) => name !== state.owned.staging?.branch);
    return others.length > 0 ? enterStaging(state) : { next: { ...state, phase: "pinHead", round: 0 } };
  },
};

/** Rule R2: only an undisturbed first delivery whose folder equals the input, on the input ref itself. */
function mayCommitNothing({ projection, base, input, facts }: Knows["listStaging"]): boolean {
  const first = facts.polled.retryCount === 0 && facts.polled.pollCount === 1;
  return projection.unchanged && base === input.ref && first;
}
