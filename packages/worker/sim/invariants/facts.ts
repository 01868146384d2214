import type { Task } from "../model/engine.ts";
import type { ModelCommit, Repository } from "../model/repository.ts";
import type { Tree } from "../model/trees.ts";

/** An output that the engine has taken as COMPLETED. */
export interface Completion {
  readonly logicalTaskKey: string;
  readonly scheduledTime: number;
  readonly ref: string;
  /** Somebody asked for a rerun or restart after it (rule S11), or the engine itself rolled it back. */
  readonly asked: boolean;
}

/** A confirm commit has just become the head of the target. */
export interface Landing {
  readonly repository: Repository;
  readonly hardFence: boolean;
  /** The maker requires the hard fence (rule H2), and the server did not refuse by it. */
  readonly isRequiredInVain: boolean;
  readonly commit: ModelCommit;
  readonly completions: readonly Completion[];
  /** The network sent this request more than once. */
  readonly copied: boolean;
}

/** The engine has just taken a result. */
export interface Taking {
  readonly repository: Repository;
  readonly head: number;
  readonly hardFence: boolean;
  /** The task as it was before. */
  readonly task: Task;
  /** The delivery that the reporting execution was handed. */
  readonly held: Task;
  readonly status: string;
  readonly ref: string;
  /** An own confirm commit stands behind a COMPLETED. */
  readonly withCommit: boolean;
  readonly folder: Tree;
  readonly logicalTaskKey: string;
  /**
   * The task changed between rule R8's read and the sending: the engine has no compare-and-swap, and no worker can
   * close this window.
   */
  readonly windowOpen: boolean;
}

/** A merge is about to be sent. */
export interface Sending {
  /** What the last second check (rule A2) read was not this execution's attempt in progress. */
  readonly wasStale: boolean;
}

/** An execution has decided how it ends, and has reported nothing yet. */
export interface Deciding {
  readonly repository: Repository;
  readonly head: number;
  readonly stagingCommitId: string | undefined;
  /** `completed`, `silent` or a failure code. */
  readonly outcome: string;
  readonly by: string | undefined;
  readonly ref: string | undefined;
}

/** A publish fence was evaluated over a range. */
export interface Judging {
  readonly commits: readonly ModelCommit[];
  readonly inputRef: string;
  readonly refused: boolean;
  readonly noteNames: readonly string[];
}

/** An execution is sure that the engine took its result. */
export interface Accepting {
  readonly status: string;
  readonly held: Task;
  readonly task: Task | undefined;
}

/** A staging branch that is left when nothing runs any more. */
export interface LeftOver {
  readonly name: string;
  /** How the execution ended that made it. */
  readonly end: string;
  /** Cleanup was refused by the server. */
  readonly cleanupFailed: boolean;
  /** When it decided how to end, the head was still the one that its merge, sent before, expected. */
  readonly mayLand: boolean;
}

/** One invariant: nothing where it holds, else what broke it. */
export type Invariant<Facts> = (facts: Facts) => string | undefined;
