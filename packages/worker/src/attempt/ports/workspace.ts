/** What the folder's projection came to, seen from the host: counts and one digest, never the files themselves. */
export interface ProjectionSummary {
  /** True when the projection equals the input commit's (rule R2). */
  readonly unchanged: boolean;
  readonly fileCount: number;
  readonly uploadCount: number;
  readonly deleteCount: number;
  /** Messages of the post guardrails that refuse, on exactly the bytes that are staged (rule T3). */
  readonly violations: readonly string[];
}

/**
 * The local folder of one execution, and the transfers between it and lakeFS. The heavy work is done in sync threads.
 * Methods throw `AttemptError`: `input_invalid` for a commit no folder can hold (rule I5), `workspace_unstageable` for
 * a folder that cannot be published (rules T7, T8, T11), `server_unavailable` for a failed transfer.
 */
export interface Workspace {
  /** Downloads the projection of the commit into a new folder that appears whole or not at all (rule T2). */
  syncIn(request: {
    readonly repository: string;
    readonly commitId: string;
    readonly prefix: string;
  }): Promise<{ readonly path: string; readonly fileCount: number }>;
  /** Messages of the pre guardrails that refuse (rule T3). */
  checkPre(): Promise<readonly string[]>;
  /** Reads the folder as it is now, compares it with the input, and checks the post guardrails. */
  project(): Promise<ProjectionSummary>;
  /** Whether the commit's projection equals the folder's (rule P9). */
  equalsCommit(commitId: string): Promise<boolean>;
  /** Makes the staging branch's projection equal the folder's, starting from `base` (rule T4). */
  stage(request: {
    readonly branch: string;
    readonly base: string;
  }): Promise<{ readonly uploadCount: number; readonly deleteCount: number }>;
  /** The diff from base to staging commit equals what was staged (rule T13). */
  verifyStaging(request: { readonly base: string; readonly stagingCommit: string }): Promise<void>;
  /** Removes the folder (rule X1). */
  remove(): Promise<void>;
}
