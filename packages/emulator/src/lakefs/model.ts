/** One object at one path, as a tree or a staging area holds it. */
export interface Entry {
  readonly path: string;
  /** Where the bytes are; relative to the repository's storage namespace unless it has a scheme. */
  readonly address: string;
  /** MD5 in hex for what was uploaded here; else what the client said. */
  readonly checksum: string;
  readonly sizeBytes: number;
  /** Seconds since 1970. */
  readonly mtimeS: number;
  readonly contentType: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** One commit record. */
export interface Commit {
  /** 64 hex digits. */
  readonly id: string;
  readonly committer: string;
  readonly message: string;
  /** Seconds since 1970. */
  readonly createdS: number;
  /** Empty for the first commit of a repository. */
  readonly treeId: string;
  readonly parents: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  /** 1 for the first commit; else one more than the greatest of the parents'. */
  readonly generation: number;
}

/** A repository. */
export interface Repository {
  readonly name: string;
  readonly storageNamespace: string;
  readonly defaultBranch: string;
  readonly createdS: number;
  readonly readOnly: boolean;
}

/** A branch. */
export interface Branch {
  readonly name: string;
  readonly commitId: string;
  readonly hidden: boolean;
}

/** Two entries are the same content where their identities are equal: size, checksum, metadata and content type. */
export function identity(entry: Entry): string {
  const metadata = Object.entries(entry.metadata).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([entry.sizeBytes, entry.checksum, entry.contentType, metadata]);
}
