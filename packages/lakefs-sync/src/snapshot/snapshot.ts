import type { DiskTraits } from "../keys/disk-traits.ts";
import type { ObjectTable } from "../listing/object-table.ts";
import type { PrefixSums } from "../folder/prefix-sums.ts";
import type { StatRecords } from "./stat-records.ts";

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
  /** All files as they were brought in; the hash of each is known. */
  readonly objects: ObjectTable;
  /** One stat record a row; undefined where the disk's ctime proves nothing, and every file is hashed (rule T5). */
  readonly records: StatRecords | undefined;
  /** By row, of large files: shows that one has changed without reading it to its end. */
  readonly sums: ReadonlyMap<number, PrefixSums>;
  /** Files that came from the local cache. */
  readonly cachedCount: number;
  /** Identities of all directories that marker objects make, with those above them (rules T6, T10). */
  readonly markerDirectories: ReadonlySet<string>;
}
