import type { Common } from "../../src/attempt/machine/state.ts";
import type { CommitRange } from "../../src/attempt/ports/target-store.ts";
import { all, believing, currentRead, deciding, rewritten, seeing, sending, type Mutation } from "./wrap.ts";

type Metadata = Readonly<Record<string, string>>;

/** P2 and P3 off: whatever stands in the range counts as an older own commit. */
export const fenceSkipped: Mutation = seeing((state, range) =>
  rewritten(range, (metadata) => ownOlder(state, metadata)),
);

/** P4 off: every prefix counts as this one. */
export const prefixIgnored: Mutation = seeing(({ facts }, range) =>
  rewritten(range, (metadata) =>
    metadata["perago.prefix"] === undefined
      ? metadata
      : { ...metadata, "perago.prefix": facts.workspace?.prefix ?? "" },
  ),
);

/** P5 early off. */
export const earlyFenceSkipped: Mutation = deciding("fenceEarly", (state, _, original) => ({
  next: { ...state, phase: "syncIn" },
  notes: original().notes,
}));

/** P5 before staging off: any head is the base. */
export const baseFenceSkipped: Mutation = believing("fenceBase", (state, range) =>
  rewritten(range, (metadata) => ownOlder(state, metadata)),
);

/** P5 at the end off: the head is not looked at. */
export const pinSkipped: Mutation = deciding("pinHead", (state, _, original) => ({
  next: { ...state, phase: "recheckAttempt" },
  notes: original().notes,
}));

/** P5 at the end follows a moved head that the fence accepts. */
export const movedHeadFollowed: Mutation = deciding("pinHead", (state, range, original) => {
  const decision = original();
  const { next } = decision;
  const moved =
    "outcome" in next && next.outcome.kind === "failed" && next.outcome.failure.message.includes(" moved from ");
  return moved ? { next: { ...state, phase: "recheckAttempt", base: range.head } } : decision;
});

/** A2 before P5: the attempt is checked, then the head is pinned, then the merge is sent. */
export const checkedBeforePin: Mutation = all(
  deciding("verifyStaging", (_, __, original) => {
    const { next } = original();
    return { next: next.phase === "pinHead" ? { ...next, phase: "recheckAttempt" } : next };
  }),
  deciding("recheckAttempt", (state, _, original) => {
    const { next } = original();
    return { next: next.phase === "merge" ? { ...state, phase: "pinHead" } : next };
  }),
  deciding("pinHead", (_, __, original, clock) => {
    const decision = original();
    const { next } = decision;
    const pinned = next.phase === "recheckAttempt" && next.staged !== undefined;
    return pinned ? { ...decision, ...sending(next, clock) } : decision;
  }),
);

/** A2, first check off. */
export const firstCheckSkipped: Mutation = believing("checkAttempt", currentRead);

/** A2, second check off. */
export const secondCheckSkipped: Mutation = believing("recheckAttempt", currentRead);

/** A1 without worker id and poll count. */
export const holderIgnored: Mutation = identityIgnored(["workerId", "pollCount"]);

/** A1 without the scheduled time. */
export const deliveryIgnored: Mutation = identityIgnored(["scheduledTime"]);

/** A1 without the worker's own lease deadline. */
export const leaseIgnored: Mutation = (phases) => ({
  ...phases,
  checkAttempt: {
    ...phases.checkAttempt,
    answered: (state, read, clock) => phases.checkAttempt.answered(state, read, { ...clock, leaseDeadlineMs: 1e9 }),
  },
  recheckAttempt: {
    ...phases.recheckAttempt,
    answered: (state, read, clock) => phases.recheckAttempt.answered(state, read, { ...clock, leaseDeadlineMs: 1e9 }),
  },
});

/** A3 off: FAILED also where another execution holds the attempt. */
export const failsElsewhere: Mutation = all(
  deciding("checkAttempt", (_, __, original) => spoken(original())),
  deciding("recheckAttempt", (_, __, original) => spoken(original())),
);

/** P8 off: a newer delivery counts as an older one. */
export const newerSuperseded: Mutation = seeing(({ facts }, range) =>
  rewritten(range, (metadata) => {
    const time = Number(metadata["perago.scheduled_time"]);
    return time > facts.polled.scheduledTime ? withTime(metadata, facts.polled.scheduledTime - 1) : metadata;
  }),
);

/** P9 off: this delivery's own commit counts as an older one. */
export const ownDeliverySuperseded: Mutation = seeing(({ facts }, range) =>
  rewritten(range, (metadata) => {
    const same = Number(metadata["perago.scheduled_time"]) === facts.polled.scheduledTime;
    return same ? withTime(metadata, facts.polled.scheduledTime - 1) : metadata;
  }),
);

/** P9 without the comparison. */
export const adoptedUnseen: Mutation = believing("compareOwn", () => true);

/** P9 without the head: an own commit below the head is adopted too. */
export const adoptedBelowHead: Mutation = seeing(({ facts }, range) => {
  const at = range.commits.findIndex(
    ({ metadata }) => Number(metadata["perago.scheduled_time"]) === facts.polled.scheduledTime,
  );
  return at > 0 ? cut(range, at) : range;
});

/** P10 off: a lost race in the range is walked over silently. */
export const racesUntold: Mutation = all(
  deciding("fenceEarly", (_, __, original) => ({ next: original().next })),
  deciding("fenceBase", (_, __, original) => ({ next: original().next })),
  deciding("pinHead", (_, __, original) => ({ next: original().next })),
);

function identityIgnored(keys: readonly ("workerId" | "pollCount" | "scheduledTime")[]): Mutation {
  const blind = (state: Common, read: ReturnType<typeof currentRead> | null): typeof read => {
    if (read === null) return read;
    const held = Object.fromEntries(keys.map((key) => [key, state.facts.polled[key]]));
    return { ...read, ...held };
  };
  return all(believing("checkAttempt", blind), believing("recheckAttempt", blind));
}

function spoken({ next }: ReturnType<Parameters<typeof deciding>[1]>): ReturnType<Parameters<typeof deciding>[1]> {
  if (next.phase !== "stopLease" || next.outcome.kind !== "silent") return { next };
  const failure = { code: "attempt_stale", message: next.outcome.reason, hint: "" } as const;
  return { next: { ...next, outcome: { kind: "failed", failure } } };
}

function ownOlder({ facts }: Common, metadata: Metadata): Metadata {
  const expected = metadata["perago.expected_head"];
  return {
    ...(expected === undefined ? {} : { "perago.expected_head": expected }),
    "perago.phase": "confirm",
    "perago.logical_task_key": facts.logicalTaskKey,
    "perago.prefix": facts.workspace?.prefix ?? "",
    "perago.task_id": "older",
    "perago.retry_count": "0",
    "perago.scheduled_time": "0",
  };
}

function withTime(metadata: Metadata, time: number): Metadata {
  return { ...metadata, "perago.scheduled_time": String(time), "perago.task_id": "older" };
}

function cut(range: CommitRange, at: number): CommitRange {
  const commits = range.commits.slice(at);
  return { head: commits[0]?.id ?? range.head, commits };
}
