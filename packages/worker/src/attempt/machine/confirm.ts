import { attemptOutcome } from "./fences.ts";
import { completed, end, failure, publishUnknown } from "./ending.ts";
import { BOUNDS, type AttemptFacts } from "./facts.ts";
import { headMoved, judge, readRangeArgs } from "./publish-decision.ts";
import { attemptName, confirmMetadata } from "./staging.ts";
import type { Failure } from "../../failure.ts";
import type { ClockReading, Confirming, Decision, Knows, Note, Outcome, Owned, Phase } from "./state.ts";

/** Rule P5, last time: the same head as before staging, or nothing. Only then the attempt is checked (rule A2). */
export const pinHead: Phase<"pinHead"> = {
  ask: readRangeArgs,
  answered(state, range) {
    const judgement = judge(state, range);
    if (judgement.kind !== "accept") return stop(state, failed(judgement.failure), judgement.notes);
    if (judgement.head !== state.base) {
      return stop(
        state,
        failed(headMoved(state.input, state.base, range, "this attempt had staged upon the old one")),
        judgement.notes,
      );
    }
    return { next: { ...state, phase: "recheckAttempt" }, notes: judgement.notes };
  },
  refused: (state, why) => stop(state, failed(why)),
};

/** Rule A2, second time, after the head is pinned. */
export const recheckAttempt: Phase<"recheckAttempt"> = {
  ask: ({ facts }) => ({ taskId: facts.polled.taskId }),
  answered(state, read, clock) {
    const outcome = attemptOutcome(state, read, clock);
    if (outcome !== undefined) return stop(state, outcome);
    if (state.adopt !== undefined) return end(state, completed(state, "adoption", state.adopt));
    const { staged } = state;
    return staged === undefined
      ? end(state, completed(state, "no_op", state.input.ref))
      : sendOrExtend({ ...state, staged }, clock);
  },
  refused: (state, why) => stop(state, failed(why)),
};

/**
 * Rule C9: a heartbeat first where the lease is too short. One that fails is tried again until the rounds or the lease
 * end.
 */
export const extendLease: Phase<"extendLease"> = {
  ask: () => ({}),
  answered: (state) => ({ next: { ...state, phase: "pinHead" } }),
  refused: (state) => ({ next: { ...state, phase: "pauseMerge", delayMs: BOUNDS.reportPauseMs } }),
};

/** Rules C1, C4 and C5: one request with the staging commit's id; what it came to is read, never assumed. */
export const merge: Phase<"merge"> = {
  ask: (state) => ({
    repository: state.input.repository,
    stagingCommit: state.staged.stagingCommit,
    branch: state.input.branch,
    message: `perago: confirm ${attemptName(state)}`,
    metadata: confirmMetadata(state),
    timeoutMs: state.timeoutMs,
    sendBeforeMs: state.sendBeforeMs,
  }),
  answered(state, outcome, clock) {
    if (outcome.kind === "too_late") return nextRound(unsent(state), 0);
    const sent = {
      ...state,
      owned: mergeSent(state),
    };
    switch (outcome.kind) {
      case "merged":
        return { next: { ...sent, phase: "readPublished", merge: sent.owned.merge, commitId: outcome.commitId } };
      case "busy":
        return afterBusy(sent, outcome.message, outcome.retryAfterMs, clock);
      case "refused":
        return stop(sent, failed(failure(outcome.code, outcome.message, outcome.hint)), [], "refused");
      case "unknown":
        return unknownMerge(sent, outcome.message);
    }
  },
  refused(state, why) {
    return unknownMerge({ ...state, owned: mergeSent(state) }, why.message);
  },
};

/** The wait after a busy answer or a heartbeat that failed (rule C8). */
export const pauseMerge: Phase<"pauseMerge"> = {
  ask: ({ delayMs }) => ({ delayMs }),
  answered: (state) => ({ next: { ...state, phase: "pinHead" } }),
};

type WithStaged = Knows["merge"] | (Confirming & { readonly staged: NonNullable<Confirming["staged"]> });

/** Rule C9: the lease must outlast the merge, and A2's answer must be young when the request leaves. */
function sendOrExtend(
  state: Confirming & { readonly staged: NonNullable<Confirming["staged"]> },
  clock: ClockReading,
): Decision {
  const mergeUntilMs = state.mergeUntilMs ?? clock.nowMs + state.facts.mergeTimeoutMs;
  // A merge with no time left would only end as unknown.
  if (clock.nowMs >= mergeUntilMs) return stop(state, failed(budgetOver(state, "no time is left for another merge")));
  const latestMs = clock.leaseDeadlineMs - neededLeaseMs(state.facts);
  if (clock.nowMs > latestMs) {
    if (state.round >= BOUNDS.mergeRounds) return stop(state, failed(leaseTooShort(state.facts)));
    return { next: { ...state, phase: "extendLease", round: state.round + 1 } };
  }
  const sendBeforeMs = Math.min(clock.nowMs + BOUNDS.attemptCheckAgeMs, latestMs);
  return {
    next: { ...state, phase: "merge", mergeUntilMs, sendBeforeMs, timeoutMs: mergeUntilMs - clock.nowMs },
  };
}

function neededLeaseMs({ mergeTimeoutMs, polled }: AttemptFacts): number {
  const halfLeaseMs = (polled.responseTimeoutSeconds * 1000) / 2;
  return halfLeaseMs > 0 ? Math.min(mergeTimeoutMs, halfLeaseMs) : mergeTimeoutMs;
}

/** Rule C8: known not to have merged; again from P5 on, inside the budget. */
function afterBusy(state: Knows["merge"], message: string, retryAfterMs: number, clock: ClockReading): Decision {
  const untilMs = state.mergeUntilMs ?? clock.nowMs;
  if (clock.nowMs + retryAfterMs < untilMs && state.round < BOUNDS.mergeRounds) return nextRound(state, retryAfterMs);
  return stop(state, failed(budgetOver(state, message)));
}

function budgetOver({ input, facts }: Confirming, message: string): Failure {
  const target = `${input.repository}/${input.branch}`;
  const text = `lakeFS was busy for the whole merge budget of ${facts.mergeTimeoutMs} ms on ${target}: ${message}`;
  return failure("server_unavailable", text, "the engine retries; raise lakefsMergeTimeoutSeconds if it stays so");
}

/** The budget counts from the first merge sent (rule C4); one that was not sent uses none of it. */
function unsent(state: Knows["merge"]): Knows["merge"] {
  if (state.owned.merge !== undefined) return state;
  const { mergeUntilMs: _, ...rest } = state;
  return rest;
}

function nextRound(state: Knows["merge"], delayMs: number): Decision {
  const round = state.round + 1;
  if (round > BOUNDS.mergeRounds) return stop(state, failed(leaseTooShort(state.facts)));
  return { next: { ...state, phase: "pauseMerge", round, delayMs } };
}

function unknownMerge(state: WithStaged, message: string): Decision {
  const why = publishUnknown(state.input, state.staged.stagingCommit, message);
  return stop(state, failed(why), [], "unknown");
}

/** From here on the history is read before any failure (rule C5). */
function mergeSent(state: Knows["merge"]): Owned & Required<Pick<Owned, "merge">> {
  const { stagingCommit, fence } = state.staged;
  return { ...state.owned, merge: { stagingCommit, expectedHead: state.base, fence } };
}

/**
 * Rule C5: once a merge was sent, the target's history is read before any failure, whatever the failure is. Where the
 * merge itself is not what fails, its last answer was busy (rule C8).
 */
function stop(
  state: Confirming,
  outcome: Outcome,
  notes: readonly Note[] = [],
  answer: Knows["readHistory"]["answer"] = "busy",
): Decision {
  const { merge: sent } = state.owned;
  if (sent === undefined) return end(state, outcome, notes);
  const { facts, owned, signal, input, resultJson } = state;
  const looking = { facts, owned, ...(signal ? { signal } : {}), input, resultJson, merge: sent };
  return { next: { ...looking, phase: "readHistory", pending: outcome, answer }, notes };
}

function failed(why: Failure): Outcome {
  return { kind: "failed", failure: why };
}

function leaseTooShort({ polled, mergeTimeoutMs }: AttemptFacts): Failure {
  const lease = `the lease of ${polled.responseTimeoutSeconds} s`;
  const message = `${lease} never outlasted a merge of up to ${mergeTimeoutMs} ms`;
  return failure("attempt_stale", message, "raise timeout.responseSeconds above the publish budget's sum");
}
