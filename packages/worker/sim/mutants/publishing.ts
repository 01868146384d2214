import type { Decision, State } from "../../src/attempt/machine/state.ts";
import {
  all,
  asking,
  believing,
  currentRead,
  deciding,
  ending,
  ignoringRefusal,
  sending,
  type Mutation,
} from "./wrap.ts";

/** T4 broken: the staging branch starts from the input ref, whatever head the fence accepted. */
export const wrongBase: Mutation = all(
  asking("createStaging", (args, { input }) => ({ ...args, base: input.ref })),
  asking("commitStaging", (args, { input }) => ({ ...args, base: input.ref })),
  asking("verifyStaging", (args, { input }) => ({ ...args, base: input.ref })),
);

/** T13 off. */
export const stagingUnverified: Mutation = ignoringRefusal("verifyStaging", undefined);

/** C2 broken: no expected head is sent. */
export const noExpectedHead: Mutation = asking("merge", ({ metadata, ...args }) => {
  const { "perago.expected_head": _, ...rest } = metadata;
  return { ...args, metadata: rest };
});

/** P2 broken: what is superseded is not named. */
export const supersedesNothing: Mutation = asking("merge", (args) => ({
  ...args,
  metadata: { ...args.metadata, "perago.supersedes": "" },
}));

/** What a merge onto a moved head would say of itself, so that the hook and S6 let it pass. */
export const supersedesBase: Mutation = asking("merge", (args, { base, input }) => ({
  ...args,
  metadata: { ...args.metadata, "perago.supersedes": base === input.ref ? "" : base },
}));

/** C5 broken: an unknown outcome counts as not published, without a read. */
export const unknownIsFailure: Mutation = deciding("merge", (state, outcome, original) => {
  if (outcome.kind !== "unknown") return original();
  const failure = { code: "server_unavailable", message: "not published", hint: "" } as const;
  return ending(state, { kind: "failed", failure });
});

/** C5 broken: a refusal is believed, although the network may have sent the request twice. */
export const refusalBelieved: Mutation = deciding("merge", (state, outcome, original) => {
  if (outcome.kind !== "refused") return original();
  return ending(state, { kind: "failed", failure: { code: outcome.code, message: outcome.message, hint: "" } });
});

/** C6 off: whatever the merge answered is published. */
export const raceUnseen: Mutation = believing("readPublished", ({ merge }, commit) => ({
  ...commit,
  parents: [merge.expectedHead],
}));

/** C8 broken: after a busy answer the merge is sent again, without P5 and A2. */
export const busySentAgain: Mutation = deciding("pauseMerge", (state, _, original, clock) => {
  const { delayMs: __, ...rest } = state;
  return rest.staged === undefined ? original() : sending({ ...rest, phase: "recheckAttempt" }, clock);
});

/** T4 off: the branch that was begun is used although the head has moved since. */
export const openedBranchReused: Mutation = deciding("fenceBase", (_, __, original) => {
  const { next } = original();
  if (next.phase !== "discardStaging") return { next };
  const { opened, ...state } = next;
  return { next: { ...state, phase: "createStaging", branch: opened.branch } };
});

/** X1 off: the staging branch is forgotten. */
export const stagingForgotten: Mutation = deciding("createStaging", (_, __, original) => {
  const { next } = original();
  const { staging: ___, ...owned } = next.owned;
  return { next: { ...next, owned } };
});

/** X2 off: the branch is deleted although its merge may still land. */
export const stagingNotKept: Mutation = deciding("readHistory", (state, _, original) => restored(state, original()));

/** X2 off after a busy answer only. */
export const busyStagingNotKept: Mutation = deciding("readHistory", (state, _, original) =>
  state.answer === "busy" ? restored(state, original()) : original(),
);

function restored({ owned }: State<"readHistory">, { next, notes }: Decision): Decision {
  return { next: { ...next, owned }, notes };
}

/** R2 without the listing. */
export const listingSkipped: Mutation = believing("listStaging", () => []);

/** R2 for every delivery, not only for an undisturbed first one. */
export const anyDeliveryCommitsNothing: Mutation = deciding("fenceBase", (state, range, original) => {
  const { next } = original();
  const isNoOp = next.phase === "createStaging" && state.projection.unchanged && range.head === state.input.ref;
  return isNoOp ? { next: { ...next, phase: "listStaging", owned: state.owned } } : { next };
});

/** R2 upon an own earlier commit: nothing is published over it. */
export const ownCommitStays: Mutation = deciding("fenceBase", (state, range, original) => {
  const { next } = original();
  const isStaging = next.phase === "createStaging" || next.phase === "discardStaging";
  const isNoOp = isStaging && state.projection.unchanged && range.head !== state.input.ref;
  return isNoOp ? { next: { ...next, phase: "pinHead", round: 0, owned: state.owned } } : { next };
});

/** R2 without P5 and A2 at the end. */
export const noOpUnchecked: Mutation = deciding("listStaging", (state, _, original, clock) => {
  const decision = original();
  return decision.next.phase === "pinHead" ? sending({ ...state, phase: "recheckAttempt", round: 0 }, clock) : decision;
});

/** R6 off: 200 is believed. */
export const answerBelieved: Mutation = believing("readBack", (state) => {
  const status = state.outcome.kind === "completed" ? "COMPLETED" : "FAILED";
  const ref = state.outcome.kind === "completed" ? state.outcome.ref : undefined;
  return {
    ...currentRead(state),
    status,
    hasResult: ref !== undefined,
    ...(ref === undefined ? {} : { outputRef: ref }),
  };
});

/** R8 off: the result is sent whatever the task's record says. */
export const sentUnread: Mutation = deciding("stopLease", (state, _, original) => {
  const { next } = original();
  return { next: next.phase === "readForReport" ? { ...next, phase: "report" } : next };
});
