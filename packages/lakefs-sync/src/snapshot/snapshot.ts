import type { DiskTraits } from "../keys/disk-traits.ts";

/** One file as it was brought in. */
export interface SnapshotEntry {
  /** Below the prefix, with `/`. */
  readonly path: string;
  /** The key as lakeFS lists it; it is published back under this very key (case N07). */
  readonly key: string;
  readonly sizeBytes: number;
  /** The record's checksum: an MD5 only where it is 32 hex digits (case B07). */
  readonly checksum: string;
  readonly contentType: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** MD5 of the bytes, taken by us while they came in; lower-case hex. */
  readonly hash: string;
}

/** Where a folder came from and what stood in it. Lives in the sync worker's memory, see `workspace-table.ts`. */
export interface Snapshot {
  readonly repository: string;
  /** Everything was read by this id, never by a branch name (case L16). */
  readonly commitId: string;
  /** Normalised. */
  readonly prefix: string;
  readonly folder: string;
  readonly excludedPaths: ReadonlySet<string>;
  readonly disk: DiskTraits;
  readonly entries: readonly SnapshotEntry[];
  /** Identities of all directories that marker objects make, with those above them (rules T6, T10). */
  readonly markerDirectories: ReadonlySet<string>;
}

/** The record's checksum as an MD5, or undefined where it is something else (case B07). */
export function md5OfChecksum(checksum: string): string | undefined {
  return /^[0-9a-f]{32}$/i.test(checksum) ? checksum.toLowerCase() : undefined;
}
