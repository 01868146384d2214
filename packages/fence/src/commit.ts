/**
 * The part of a lakeFS commit that the publish fence reads (rule P7). Ids are opaque here; the caller reads only full
 * ids (rule I4). Metadata is what the server answered: keys that are not known are ignored, values of another type than
 * string count as malformed.
 */
export interface FenceCommit {
  readonly id: string;
  /** Parent ids; the first one is the branch that the commit was made on. */
  readonly parents: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  /** Commit message and committer, used in refusals only: they say who wrote what stands there. */
  readonly message?: string;
  readonly committer?: string;
  /** Seconds since 1970 by lakeFS' clock; never part of a decision. */
  readonly creationDate?: number;
}
