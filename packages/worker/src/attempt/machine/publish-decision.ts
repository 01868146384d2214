import { classifyPublish, type FenceCommit } from "@perago/fence";
import type { Failure } from "../../failure.ts";
import type { CommitRange } from "../ports/target-store.ts";
import { failure } from "./ending.ts";
import { BOUNDS } from "./facts.ts";
import { hardFenceRequired, isInForce } from "./hard-fence.ts";
import { refusalOf } from "./refusal.ts";
import type { Common, Note, WorkspaceInput } from "./state.ts";

type Located = Common & { readonly input: WorkspaceInput };

/** What the publish fence says of the target as it stands (rules P1-P10), in the machine's words. */
export type Judgement = { readonly notes: readonly Note[] } & (
  | { readonly kind: "accept"; readonly head: string; readonly supersedes: string }
  /** `failure` is what becomes of it where the commit is not adopted (rule P9). */
  | { readonly kind: "own_delivery"; readonly commitId: string; readonly isHead: boolean; readonly failure: Failure }
  | { readonly kind: "refuse"; readonly failure: Failure }
);

/** The range is read from the head down to the input ref, with one commit more than the walk may count (rule P2). */
export function readRangeArgs({ facts, input }: Located): {
  repository: string;
  branch: string;
  stopAt: string;
  maxCommits: number;
  withHardFence: boolean;
} {
  const { repository, branch, ref } = input;
  const withHardFence = facts.hardFence !== "off";
  return { repository, branch, stopAt: ref, maxCommits: BOUNDS.walkCommits + 1, withHardFence };
}

/**
 * Runs the classifier over what was read (rule P7). Whether the hard fence is in force on that head decides what a lost
 * race in the range means (rule P10); where it is required and is not, nothing else counts (rule H2).
 */
export function judge(state: Located, range: CommitRange): Judgement {
  const { facts, input } = state;
  const { polled } = facts;
  const hardFence = isInForce(range.hardFence);
  if (facts.hardFence === "required" && !hardFence) {
    return { kind: "refuse", failure: hardFenceRequired(input, range.head, range.hardFence), notes: [] };
  }
  const self = {
    logicalTaskKey: facts.logicalTaskKey,
    prefix: facts.workspace?.prefix ?? "",
    scheduledTime: polled.scheduledTime,
    taskId: polled.taskId,
    retryCount: polled.retryCount,
    retriedTaskId: polled.retriedTaskId,
  };
  const decision = classifyPublish({ ...range, inputRef: input.ref, hardFence, self });
  const target = `${input.repository}/${input.branch}`;
  if (decision.kind === "publish") {
    const { head, supersedes } = decision;
    return { kind: "accept", head, supersedes, notes: raceNotes(decision.races, target) };
  }
  const refusal = refusalOf(decision, range.commits, state);
  if (decision.kind === "refuse") return { kind: "refuse", failure: refusal, notes: [] };
  const { commit, isHead, races } = decision;
  return { kind: "own_delivery", commitId: commit.id, isHead, failure: refusal, notes: raceNotes(races, target) };
}

/**
 * The head is no longer the one that staging started from: the last evaluation follows no moved head (rule P5), and the
 * hard fence lets no merge onto it (rule H1). Who made the head stands in the reason (rule R3).
 */
export function headMoved(input: WorkspaceInput, from: string, range: CommitRange, seenBy: string): Failure {
  const target = `${input.repository}/${input.branch}`;
  const to = range.head;
  const message = `the head of ${target} moved from ${from} to ${to}${madeBy(range.commits[0])}; ${seenBy}`;
  return failure(
    "publish_fence",
    message,
    `start a new workflow whose input ref is the protected head ${to}, or let the engine retry`,
  );
}

const namedMaxLength = 80;

/** Other people's words, in one short line. */
function madeBy(commit: FenceCommit | undefined): string {
  if (commit === undefined) return "";
  const line = `by ${commit.committer ?? "?"}: ${commit.message ?? ""}`.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");
  return ` (${line.slice(0, namedMaxLength).toWellFormed().trim()})`;
}

function raceNotes(commitIds: readonly string[], target: string): readonly Note[] {
  return commitIds.map((id) => ({
    name: "publish_race",
    message: `commit ${id} on ${target} lies on a head that its fence had not seen (rule P10)`,
  }));
}
