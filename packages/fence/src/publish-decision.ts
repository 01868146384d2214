import type { FenceCommit } from "./commit.ts";

/** Who asks to publish. */
export interface PublishSelf {
  readonly logicalTaskKey: string;
  /** In any form; compared normalised (rule P4). */
  readonly prefix: string;
  /** Milliseconds by the engine's clock (rule P8). */
  readonly scheduledTime: number;
  readonly taskId: string;
  readonly retryCount: number;
  /** The task that the polled task retries, as the engine names it: older whatever its time (rule P8). */
  readonly retriedTaskId?: string | undefined;
}

/** Input of `classifyPublish`. */
export interface PublishRange {
  /** Full id of the commit that the task's input named. */
  readonly inputRef: string;
  /** Full id of the target's head that is decided on. */
  readonly head: string;
  /**
   * The first-parent log of `head` (rule P6), newest first, head included, up to and including the input ref where it
   * was found. At most 1025 are needed. What follows the input ref is ignored; under P1 the list may be empty.
   */
  readonly commits: readonly FenceCommit[];
  readonly self: PublishSelf;
  /** Whether the server enforces `perago.expected_head` (rule P10). */
  readonly hardFence: boolean;
}

/** Why a range refuses. */
export type RefusalReason =
  /** The given commits are not one first-parent chain from the head (P3: fail closed). */
  | "broken_chain"
  | "input_ref_not_found"
  | "too_many_commits"
  /** Not a confirm commit of this logical task, or a cherry-picked one. */
  | "foreign_commit"
  | "try_commit"
  | "missing_metadata"
  | "malformed_metadata"
  | "other_prefix"
  | "publish_race"
  | "newer_delivery";

/** The fence refuses; `commit` is the one that stands in the way. */
export interface PublishRefusal {
  readonly kind: "refuse";
  readonly code: "publish_fence" | "superseded_by_newer";
  readonly rule: "P3" | "P4" | "P8" | "P10";
  readonly reason: RefusalReason;
  readonly head: string;
  readonly commit?: { readonly id: string; readonly message: string; readonly committer: string };
}

/** The fence accepts: publish on `head`. */
export interface PublishAccept {
  readonly kind: "publish";
  readonly rule: "P1" | "P2";
  readonly head: string;
  /** `perago.supersedes`: empty under P1, the head under P2. */
  readonly supersedes: string;
  /**
   * Own commits that landed on a head their fence had not seen, newest first: to be logged and counted as
   * `publish_race` (rule P10).
   */
  readonly races: readonly string[];
}

/** This delivery has already published; the caller compares the projections (rules P7 and P9). */
export interface OwnDelivery {
  readonly kind: "own_delivery";
  readonly rule: "P9";
  readonly head: string;
  readonly commit: FenceCommit;
  /** Only a commit that is the head may be adopted. */
  readonly isHead: boolean;
  readonly races: readonly string[];
}

/** What the publish fence decides. */
export type PublishDecision = PublishAccept | OwnDelivery | PublishRefusal;
