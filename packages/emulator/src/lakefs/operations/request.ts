/** What operations that make commits have in common. */
export interface CommitRequest {
  readonly repository: string;
  readonly branch: string;
  /** Who asks; the commit's committer. */
  readonly committer: string;
  readonly allowEmpty: boolean;
  /** Goes through on a read-only repository too. */
  readonly force: boolean;
}

/** A message and metadata that replace those that an operation would write. */
export interface CommitOverrides {
  readonly message: string | undefined;
  readonly metadata: Readonly<Record<string, string>> | undefined;
}
