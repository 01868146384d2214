import { isStagingBranchName, PHASE, STAGING_BRANCH, type FenceCommit } from "@perago/fence";

/** A branch as a sweep meets it. All times by lakeFS' clock, milliseconds since 1970. */
export interface FoundBranch {
  readonly name: string;
  readonly head: FenceCommit;
  /**
   * When this sweeper first met the branch with this head. Counts where the branch has no commit of its own: lakeFS
   * keeps no time for a branch, and the commit that it was made from is as old as it likes.
   */
  readonly seenSinceMs: number;
  /** What a closer look showed; taken only where it decides. */
  readonly closer?: {
    readonly isHidden: boolean;
    /** A staging commit is its head, or lies below it: somebody has committed upon one, or made a branch of one. */
    readonly hasTryCommit: boolean;
  };
}

/** Why a branch stays. */
export type KeepReason =
  /** Not a staging branch of Perago, or one that somebody else works on. */
  | "not_ours"
  /** An execution of this host holds it. */
  | "held"
  /** Not older than the TTL. */
  | "young";

/** What becomes of a branch. */
export type BranchFate =
  | { readonly kind: "keep"; readonly why: KeepReason; readonly ageMs: number }
  | { readonly kind: "look_closer" }
  | { readonly kind: "remove"; readonly ageMs: number };

/** What decides. */
export interface BranchQuestion {
  readonly branch: FoundBranch;
  readonly nowMs: number;
  readonly ttlMs: number;
  readonly isHeld: (branchName: string) => boolean;
}

/**
 * Rule X3: a branch goes when it carries Perago's name and mark, no execution of this host holds it, and it is older
 * than the TTL. The mark is the staging commit, which names its branch; a branch that was given up before it had one
 * must be hidden, as Perago makes them. That an attempt has ended frees no branch: a merge of it may still be under
 * way, and R2 finds that by the branch. Pure.
 */
export function decideBranch({ branch, nowMs, ttlMs, isHeld }: BranchQuestion): BranchFate {
  const { name, head, closer } = branch;
  const isMarked = isStagingCommitOf(head, name);
  const bornMs = isMarked && (head.creationDate ?? 0) > 0 ? (head.creationDate ?? 0) * 1000 : branch.seenSinceMs;
  const ageMs = Math.max(0, nowMs - bornMs);
  if (!isStagingBranchName(name)) return { kind: "keep", why: "not_ours", ageMs };
  if (isHeld(name)) return { kind: "keep", why: "held", ageMs };
  if (ageMs <= ttlMs) return { kind: "keep", why: "young", ageMs };
  if (isMarked) return { kind: "remove", ageMs };
  if (closer === undefined) return { kind: "look_closer" };
  if (!closer.isHidden || closer.hasTryCommit) return { kind: "keep", why: "not_ours", ageMs };
  return { kind: "remove", ageMs };
}

/** Whether a commit is the staging commit of the branch with this name (rule T9). */
export function isStagingCommitOf({ metadata }: FenceCommit, name: string): boolean {
  return metadata[PHASE] === "try" && metadata[STAGING_BRANCH] === name;
}
