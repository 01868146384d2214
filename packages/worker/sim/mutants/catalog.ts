import { createMachine, PHASES, type Machine } from "../../src/attempt/machine/step.ts";
import type { Scope, Wiring } from "../explore/context.ts";
import { SMALL, SOFT } from "../explore/scopes.ts";
import * as fences from "./fences.ts";
import * as publishing from "./publishing.ts";
import { all, type Mutation } from "./wrap.ts";

/** One rule switched off, and what becomes of it (rule S8). */
export interface Mutant {
  /** As `pnpm sim --mutant` takes it. */
  readonly name: string;
  /** The rule, or rules, that are off. */
  readonly rules: string;
  readonly what: string;
  readonly mutation?: Mutation;
  readonly wiring?: Wiring;
  readonly scope: Scope;
  /** The invariant that catches it. */
  readonly caught?: string;
  /** It is a second lock: the rules that cover it. */
  readonly coveredBy?: string;
}

const caught = (mutant: Omit<Mutant, "coveredBy"> & { readonly caught: string }): Mutant => mutant;
const secondLock = (mutant: Omit<Mutant, "caught"> & { readonly coveredBy: string }): Mutant => mutant;

const fenceMutants: readonly Mutant[] = [
  caught({
    name: "fence_skipped",
    rules: "P2, P3",
    what: "any range is accepted",
    mutation: fences.fenceSkipped,
    scope: SMALL.foreign,
    caught: "S3",
  }),
  caught({
    name: "prefix_ignored",
    rules: "P4",
    what: "a commit with another prefix is superseded",
    mutation: fences.prefixIgnored,
    scope: SMALL.prefix,
    caught: "S4",
  }),
  secondLock({
    name: "early_fence_skipped",
    rules: "P5",
    what: "no fence before sync-in",
    mutation: fences.earlyFenceSkipped,
    scope: SMALL.foreign,
    coveredBy: "P5 before staging",
  }),
  secondLock({
    name: "base_fence_skipped",
    rules: "P5",
    what: "any head is the base",
    mutation: fences.baseFenceSkipped,
    scope: SMALL.foreign,
    coveredBy: "P5 before the merge",
  }),
  caught({
    name: "pin_skipped",
    rules: "P5",
    what: "the head is not looked at before the merge",
    mutation: fences.pinSkipped,
    scope: SMALL.restartNoOp,
    caught: "S9",
  }),
  caught({
    name: "base_fence_and_pin_skipped",
    rules: "P5, P5",
    what: "both of them",
    mutation: all(fences.baseFenceSkipped, fences.pinSkipped),
    scope: SMALL.foreign,
    caught: "S3",
  }),
  caught({
    name: "moved_head_followed",
    rules: "P5",
    what: "the last evaluation follows a moved head",
    mutation: fences.movedHeadFollowed,
    scope: SMALL.retry,
    caught: "S6",
  }),
  secondLock({
    name: "checked_before_pin",
    rules: "A2",
    what: "attempt check, then pin",
    mutation: fences.checkedBeforePin,
    scope: SMALL.retry,
    coveredBy: "P5 (same head)",
  }),
  caught({
    name: "checked_before_pin_of_any_head",
    rules: "A2, P5, P8",
    what: "attempt check, then pin of a moved head, newer deliveries superseded",
    mutation: all(fences.movedHeadFollowed, fences.checkedBeforePin, fences.newerSuperseded, publishing.supersedesBase),
    scope: SMALL.foreign,
    caught: "S9",
  }),
  secondLock({
    name: "first_check_skipped",
    rules: "A2",
    what: "no attempt check before staging",
    mutation: fences.firstCheckSkipped,
    scope: SMALL.retry,
    coveredBy: "A2, second check",
  }),
  caught({
    name: "second_check_skipped",
    rules: "A2",
    what: "no attempt check before the merge",
    mutation: fences.secondCheckSkipped,
    scope: SMALL.retry,
    caught: "S5",
  }),
  caught({
    name: "holder_ignored",
    rules: "A1",
    what: "worker id and poll count are not compared",
    mutation: fences.holderIgnored,
    scope: SMALL.retry,
    caught: "S5",
  }),
  caught({
    name: "delivery_ignored",
    rules: "A1",
    what: "the scheduled time is not compared",
    mutation: fences.deliveryIgnored,
    scope: SMALL.rerunNoOp,
    caught: "S5",
  }),
  secondLock({
    name: "lease_ignored",
    rules: "A1, C9",
    what: "the own lease deadline is not looked at",
    mutation: fences.leaseIgnored,
    scope: SMALL.lapse,
    coveredBy: "A1 (the engine's record), H1",
  }),
  secondLock({
    name: "fails_elsewhere",
    rules: "A3",
    what: "FAILED where another execution holds the attempt",
    mutation: fences.failsElsewhere,
    scope: SMALL.retry,
    coveredBy: "R8",
  }),
  caught({
    name: "fails_elsewhere_unread",
    rules: "A3, R8",
    what: "both of them",
    mutation: all(fences.failsElsewhere, publishing.sentUnread),
    scope: SMALL.retry,
    caught: "S12",
  }),
  secondLock({
    name: "newer_superseded",
    rules: "P8",
    what: "a newer delivery is superseded",
    mutation: fences.newerSuperseded,
    scope: SMALL.retry,
    coveredBy: "A2 after P5",
  }),
  caught({
    name: "own_delivery_superseded",
    rules: "P9",
    what: "a commit of the same delivery is superseded",
    mutation: fences.ownDeliverySuperseded,
    scope: SMALL.retry,
    caught: "S9",
  }),
  caught({
    name: "adopted_unseen",
    rules: "P9",
    what: "adopted without comparing the projections",
    mutation: fences.adoptedUnseen,
    scope: SMALL.retry,
    caught: "S2",
  }),
  secondLock({
    name: "adopted_below_head",
    rules: "P9",
    what: "adopted although it is not the head",
    mutation: fences.adoptedBelowHead,
    scope: SMALL.adoption,
    coveredBy: "P8, A2",
  }),
  caught({
    name: "races_untold",
    rules: "P10",
    what: "a lost race is walked over silently",
    mutation: fences.racesUntold,
    scope: SOFT.retry,
    caught: "S1",
  }),
];

const hardFenceMutants: readonly Mutant[] = [
  caught({
    name: "action_ignored",
    rules: "H1",
    what: "the server does not run the action",
    wiring: { actionIgnored: true },
    scope: SMALL.foreign,
    caught: "S1",
  }),
  caught({
    name: "required_ignored",
    rules: "H2",
    what: "published without the hard fence that is required",
    mutation: fences.requiredIgnored,
    scope: SMALL.inVain,
    caught: "S1",
  }),
  secondLock({
    name: "hard_fence_unverified",
    rules: "H3",
    what: "the staging commit's action is not looked at",
    mutation: fences.hardFenceUnverified,
    scope: SMALL.unfenced,
    coveredBy: "T13, P3",
  }),
  secondLock({
    name: "unfenced_staging_unverified",
    rules: "T13",
    what: "the staging commit is not compared with the plan, and somebody took the action from it",
    mutation: publishing.stagingUnverified,
    scope: SMALL.required,
    coveredBy: "H3 with H2 required",
  }),
  caught({
    name: "unfenced_staging_unseen",
    rules: "T13, H3",
    what: "both of them",
    mutation: all(publishing.stagingUnverified, fences.hardFenceUnverified),
    scope: SMALL.required,
    caught: "S1",
  }),
  secondLock({
    name: "races_walked",
    rules: "P10",
    what: "with the hard fence a lost race in the range is walked over, too",
    mutation: fences.racesWalked,
    scope: SMALL.retry,
    coveredBy: "H1",
  }),
];

const publishingMutants: readonly Mutant[] = [
  caught({
    name: "wrong_base",
    rules: "T4",
    what: "staging starts from the input ref",
    mutation: publishing.wrongBase,
    scope: SMALL.retry,
    caught: "S2",
  }),
  caught({
    name: "staging_unverified",
    rules: "T13",
    what: "the staging commit is not compared with the plan",
    mutation: publishing.stagingUnverified,
    scope: SMALL.intruder,
    caught: "S2",
  }),
  caught({
    name: "merged_by_name",
    rules: "C1",
    what: "the staging branch is merged, not its commit",
    wiring: { mergeByBranchName: true },
    scope: SMALL.intruder,
    caught: "S2",
  }),
  caught({
    name: "no_expected_head",
    rules: "C2",
    what: "perago.expected_head is not sent",
    mutation: publishing.noExpectedHead,
    scope: SMALL.foreign,
    caught: "S13",
  }),
  caught({
    name: "supersedes_nothing",
    rules: "P2, C1",
    what: "perago.supersedes is always empty",
    mutation: publishing.supersedesNothing,
    scope: SMALL.retry,
    caught: "S6",
  }),
  caught({
    name: "unknown_is_failure",
    rules: "C5",
    what: "an unknown outcome counts as not published",
    mutation: publishing.unknownIsFailure,
    scope: SMALL.retry,
    caught: "S10",
  }),
  caught({
    name: "refusal_believed",
    rules: "C5",
    what: "a refusal is believed without a read",
    mutation: publishing.refusalBelieved,
    scope: SMALL.busy,
    caught: "S10",
  }),
  secondLock({
    name: "blind_retry",
    rules: "C5",
    what: "an unanswered merge is sent again",
    wiring: { blindRetry: true },
    scope: SMALL.retry,
    coveredBy: "H1",
  }),
  caught({
    name: "blind_retry_soft",
    rules: "C5, H1",
    what: "the same with the soft fence",
    wiring: { blindRetry: true },
    scope: SOFT.retry,
    caught: "S9",
  }),
  secondLock({
    name: "race_unseen",
    rules: "C6",
    what: "the published commit is not looked at",
    mutation: publishing.raceUnseen,
    scope: SMALL.retry,
    coveredBy: "H1",
  }),
  caught({
    name: "race_unseen_soft",
    rules: "C6, H1",
    what: "the same with the soft fence",
    mutation: publishing.raceUnseen,
    scope: SOFT.foreign,
    caught: "S1",
  }),
  caught({
    name: "reset_after_race",
    rules: "C7",
    what: "who lost a race resets the branch",
    wiring: { resetAfterRace: true },
    scope: SOFT.foreign,
    caught: "S14",
  }),
  secondLock({
    name: "busy_sent_again",
    rules: "C8",
    what: "after 429 without P5 and A2",
    mutation: publishing.busySentAgain,
    scope: SMALL.busy,
    coveredBy: "H1 (soft fence: C6)",
  }),
  caught({
    name: "staging_forgotten",
    rules: "X1",
    what: "the staging branch stays",
    mutation: publishing.stagingForgotten,
    scope: SMALL.foreign,
    caught: "S7",
  }),
  caught({
    name: "staging_not_kept",
    rules: "X2",
    what: "the branch is deleted though its merge may land",
    mutation: publishing.stagingNotKept,
    scope: SMALL.restartNoOp,
    caught: "S9",
  }),
  caught({
    name: "busy_staging_not_kept",
    rules: "X2",
    what: "the same, after a busy answer whose copy is late",
    mutation: publishing.busyStagingNotKept,
    scope: SMALL.copies,
    caught: "S9",
  }),
  caught({
    name: "listing_skipped",
    rules: "R2",
    what: "no listing before a no-op",
    mutation: publishing.listingSkipped,
    scope: SMALL.restartNoOp,
    caught: "S9",
  }),
  secondLock({
    name: "any_delivery_commits_nothing",
    rules: "R2",
    what: "a no-op of a later delivery commits nothing",
    mutation: publishing.anyDeliveryCommitsNothing,
    scope: SMALL.restartNoOp,
    coveredBy: "R2's listing, A2",
  }),
  caught({
    name: "own_commit_stays",
    rules: "R2",
    what: "a no-op upon an own commit commits nothing",
    mutation: publishing.ownCommitStays,
    scope: SMALL.restartNoOp,
    caught: "S9",
  }),
  caught({
    name: "no_op_unchecked",
    rules: "R2",
    what: "no P5 and A2 before a no-op",
    mutation: publishing.noOpUnchecked,
    scope: SMALL.rerunNoOp,
    caught: "S9",
  }),
  caught({
    name: "heartbeat_not_awaited",
    rules: "R4",
    what: "the heartbeat in flight is not waited for",
    wiring: { heartbeatNotAwaited: true },
    scope: SMALL.heartbeat,
    caught: "S11",
  }),
  caught({
    name: "answer_believed",
    rules: "R6",
    what: "200 counts as taken",
    mutation: publishing.answerBelieved,
    scope: SMALL.retry,
    caught: "S10",
  }),
  caught({
    name: "sent_unread",
    rules: "R8",
    what: "the result is sent without a read",
    mutation: publishing.sentUnread,
    scope: SMALL.retry,
    caught: "S12",
  }),
];

/** Every mutant. */
export const MUTANTS: readonly Mutant[] = [...fenceMutants, ...hardFenceMutants, ...publishingMutants];

/** The machine of a mutant; that of production where only the wiring differs. */
export function machineOf({ mutation }: Pick<Mutant, "mutation">): Machine {
  return createMachine(mutation === undefined ? PHASES : mutation(PHASES));
}
