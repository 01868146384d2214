import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ObjectStats } from "../client/types.ts";
import { SyncError } from "../errors.ts";
import { diskError } from "../folder/disk-error.ts";
import { pathIdentity, type DiskTraits } from "../keys/disk-traits.ts";
import type { CheckedListing } from "../keys/listing-check.ts";
import { normalisePrefix } from "../keys/prefix.ts";
import { assertRepresentable, findObjectInTheWay, listCommit } from "../listing/list-projection.ts";
import type { Snapshot, SnapshotEntry } from "../snapshot/snapshot.ts";
import { forEachBounded } from "./bounded.ts";
import type { JobContext } from "./context.ts";
import { downloadObject } from "./download.ts";
import { probeDisk } from "./probe-disk.ts";

/** What `syncIn` brings where. */
export interface SyncInJob {
  readonly repository: string;
  /** Full commit id. */
  readonly commitId: string;
  readonly prefix: string;
  /** Absolute path of a folder that does not exist yet; its parent does. */
  readonly folder: string;
  /** Paths below the folder that belong to the runtime (its attempt marker), by exact name (rule T6). */
  readonly excludedPaths?: readonly string[];
}

/** Where a folder is built before it gets its name (rule T2, case T06). A leftover means an interrupted sync-in. */
export function partialFolderOf(folder: string): string {
  return `${folder}.part`;
}

/**
 * Brings a commit's projection into a new folder. The listing is judged whole before the first write; the folder is
 * built under {@link partialFolderOf} and renamed once, so it is there complete or not at all (rule T2).
 */
export async function syncIn(context: JobContext, job: SyncInJob): Promise<Snapshot> {
  const prefix = normalisePrefix(job.prefix);
  const excludedPaths: ReadonlySet<string> = new Set(job.excludedPaths ?? []);
  const { folder, repository, commitId } = job;
  const partial = partialFolderOf(folder);
  if (existsSync(folder)) throw new SyncError("folder_exists", "the workspace folder exists already");
  const onDisk = <T>(step: () => T): T => {
    try {
      return step();
    } catch (error) {
      throw diskError(error, folder, "");
    }
  };
  const inTheWay = await findObjectInTheWay(context, job, prefix);
  // The disk's way with names decides about the listing, so it is asked first, in an empty folder of its own.
  if (existsSync(partial))
    throw new SyncError("folder_exists", "an interrupted sync-in lies beside the workspace folder");
  onDisk(() => mkdirSync(partial));
  try {
    const disk = onDisk(() => probeDisk(partial));
    const listing = await listCommit(context, job, { prefix, excludedPaths, disk });
    assertRepresentable(listing, inTheWay);
    onDisk(() => makeDirectories(partial, listing));
    const entries = await downloadAll(context, job, listing, partial);
    onDisk(() => renameSync(partial, folder));
    const markerDirectories = withParents(listing.markerDirectories, disk);
    return { repository, commitId, prefix, folder, excludedPaths, disk, entries, markerDirectories };
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw error;
  }
}

function withParents(directories: readonly string[], disk: DiskTraits): Set<string> {
  const all = new Set<string>();
  for (const directory of directories) {
    const segments = directory.split("/");
    for (let count = 1; count <= segments.length; count += 1) {
      all.add(pathIdentity(segments.slice(0, count).join("/"), disk));
    }
  }
  return all;
}

function makeDirectories(root: string, listing: CheckedListing<ObjectStats>): void {
  const made = new Set<string>([""]);
  const make = (directory: string): void => {
    if (made.has(directory)) return;
    mkdirSync(join(root, directory), { recursive: true });
    made.add(directory);
  };
  for (const { path } of listing.files) make(path.slice(0, Math.max(0, path.lastIndexOf("/"))));
  for (const directory of listing.markerDirectories) make(directory);
}

async function downloadAll(
  context: JobContext,
  job: SyncInJob,
  listing: CheckedListing<ObjectStats>,
  root: string,
): Promise<SnapshotEntry[]> {
  const entries: SnapshotEntry[] = [];
  const totalFileCount = listing.files.length;
  let sizeBytes = 0;
  await forEachBounded(listing.files, context.slotCount, context.signal, async ({ path, entry }, signal) => {
    const target = { folder: job.folder, absolutePath: join(root, path), path };
    const hash = await downloadObject({ ...context, signal }, job, entry, target);
    sizeBytes += entry.size_bytes;
    entries.push({
      path,
      key: entry.path,
      sizeBytes: entry.size_bytes,
      checksum: entry.checksum,
      contentType: entry.content_type,
      metadata: entry.metadata,
      hash,
    });
    context.report({ phase: "download", fileCount: entries.length, sizeBytes, totalFileCount });
  });
  return entries;
}
