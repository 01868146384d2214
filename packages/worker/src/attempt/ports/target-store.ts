import type { FenceCommit } from "@perago/fence";
import type { HardFenceState } from "@perago/fence/hard-fence";
import type { FailureCode } from "../../failure.ts";

/** The hard fence of a target as one commit carries it (rule H3), and whether the server obeys it. */
export type HardFenceReading =
  | HardFenceState
  /** The text is there, and the server was seen to let a merge pass that it refuses (fault D7). */
  | { readonly kind: "not_enforced" }
  /** The text is there, and whether the server obeys it could not be tried. */
  | { readonly kind: "unproven"; readonly why: string };

/** The first parents of a branch, newest first, read by the head's commit id and never by the branch name (rule P6). */
export interface CommitRange {
  readonly head: string;
  /** From the head down to and including the commit asked for, or as far as the bound allows when it was not met. */
  readonly commits: readonly FenceCommit[];
  /** What the head carries, where it was asked for. */
  readonly hardFence?: HardFenceReading;
}

/**
 * What one merge request came to. Only `busy` is known not to have merged (rule C8); `unknown` needs a read (rule C5).
 */
export type MergeOutcome =
  | { readonly kind: "merged"; readonly commitId: string }
  | { readonly kind: "busy"; readonly message: string; readonly retryAfterMs: number }
  | { readonly kind: "refused"; readonly code: FailureCode; readonly message: string; readonly hint: string }
  | { readonly kind: "unknown"; readonly message: string };

/** One merge into the target. */
export interface MergeRequest {
  readonly repository: string;
  /** The staging commit id, not the branch name (rule C1). */
  readonly stagingCommit: string;
  readonly branch: string;
  readonly message: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Bounds the request on the client (rule C4). */
  readonly timeoutMs: number;
}

/** lakeFS as the transaction needs it. Every method throws `AttemptError` when the server refuses or is away. */
export interface TargetStore {
  /** Full commit id of a full or shortened commit id (rule I4); a branch or tag name throws `ref_invalid`. */
  resolveCommit(repository: string, ref: string): Promise<string>;
  /** At most `maxCommits` first parents from the branch's head, ending at `stopAt` where it is met. */
  readRange(request: {
    readonly repository: string;
    readonly branch: string;
    readonly stopAt: string;
    readonly maxCommits: number;
    readonly withHardFence: boolean;
  }): Promise<CommitRange>;
  /** The hard fence of `branch` as the commit carries it. */
  readHardFence(request: {
    readonly repository: string;
    readonly branch: string;
    readonly commitId: string;
  }): Promise<HardFenceReading>;
  readCommit(repository: string, commitId: string): Promise<FenceCommit>;
  /** Names of branches that begin with `namePrefix`, hidden ones too. */
  listBranches(repository: string, namePrefix: string): Promise<readonly string[]>;
  createStagingBranch(repository: string, branch: string, base: string): Promise<void>;
  /** Commits the staging branch, also when nothing changed, and answers the commit id. */
  commitStaging(request: {
    readonly repository: string;
    readonly branch: string;
    /** The commit that the branch was made from: by it a lost answer is settled (fault B8). */
    readonly base: string;
    readonly message: string;
    readonly metadata: Readonly<Record<string, string>>;
  }): Promise<string>;
  /** One request, never repeated by itself (rule C5). Never throws: an answer that cannot be read is `unknown`. */
  merge(request: MergeRequest): Promise<MergeOutcome>;
  /** A branch that is gone already is success (rule X1). */
  deleteStagingBranch(repository: string, branch: string): Promise<void>;
}
