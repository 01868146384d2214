import { getBranch } from "./branches.ts";
import { commit, getCommit, type CommitCreation } from "./commits.ts";
import { LakefsError } from "./errors.ts";
import type { HttpClient } from "./http.ts";
import type { CallOptions, Commit } from "./types.ts";

/** A commit on a branch that only the caller writes to. */
export interface OwnCommitCreation extends CommitCreation {
  /** The branch's head before it. */
  readonly baseCommitId: string;
}

function sameMetadata(found: Commit, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([key, value]) => found.metadata[key] === value);
}

/**
 * Commits once; where the answer got lost the branch is read, and its head taken as the answer if it stands on the
 * base and carries the metadata (fault B8). Else the unknown outcome is thrown as it is: nothing is sent twice.
 */
export async function commitOnce(
  http: HttpClient,
  repository: string,
  branch: string,
  creation: OwnCommitCreation,
  options: CallOptions = {},
): Promise<Commit> {
  try {
    return await commit(http, repository, branch, creation, options);
  } catch (error) {
    if (!(error instanceof LakefsError) || error.outcome !== "unknown" || options.signal?.aborted) throw error;
    const head = await getBranch(http, repository, branch, options);
    if (head.commit_id === creation.baseCommitId) throw error;
    const found = await getCommit(http, repository, head.commit_id, options);
    const isOurs = found.parents[0] === creation.baseCommitId && sameMetadata(found, creation.metadata ?? {});
    if (!isOurs) throw error;
    return found;
  }
}
