import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SyncError } from "../errors.ts";
import { diskError } from "../folder/disk-error.ts";
import { probeCtime } from "../folder/probe-ctime.ts";
import { changed } from "../folder/read-file.ts";
import type { PrefixSums } from "../folder/prefix-sums.ts";
import { pathIdentity, type DiskTraits } from "../keys/disk-traits.ts";
import { normalisePrefix } from "../keys/prefix.ts";
import { assertRepresentable, findObjectInTheWay, listCommit } from "../listing/list-projection.ts";
import { parentOf, type CheckedListing } from "../listing/listing-check.ts";
import type { ObjectTable } from "../listing/object-table.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { StatRecords } from "../snapshot/stat-records.ts";
import { forEachBounded } from "./bounded.ts";
import type { JobContext } from "./context.ts";
import { assertReadable } from "./download.ts";
import { placeObject } from "./place-object.ts";
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
  // The disk's way with names decides about the listing, so it is asked first, in an empty folder of its own.
  if (existsSync(partial))
    throw new SyncError("folder_exists", "an interrupted sync-in lies beside the workspace folder");
  onDisk(() => mkdirSync(partial));
  try {
    const disk = onDisk(() => probeDisk(partial));
    const { cache } = context;
    const rules = { prefix, excludedPaths, disk };
    const [inTheWay, listing] = await Promise.all([
      findObjectInTheWay(context, job, prefix),
      listCommit(context, job, rules, (stats) => cache?.idOf(repository, stats)),
    ]);
    assertRepresentable(listing, inTheWay);
    onDisk(() => makeDirectories(partial, listing));
    const { objects } = listing;
    const records = new StatRecords(objects.count);
    const sums = new Map<number, PrefixSums>();
    const cachedCount = await placeAll(context, job, { objects, records, sums }, partial);
    const isProof = await probed(folder, partial, records);
    onDisk(() => renameSync(partial, folder));
    const markerDirectories = withParents(listing.markerDirectories, disk);
    const seen = { objects, records: isProof ? records : undefined, sums, cachedCount, markerDirectories };
    return { repository, commitId, prefix, folder, excludedPaths, disk, ...seen };
  } catch (error) {
    removeQuietly(partial);
    throw error;
  }
}

/**
 * Asks the disk whether the stat records can lie: false where a later change might show the same ctime (rule T5).
 * Renaming the folder changes no file's record.
 */
async function probed(folder: string, partial: string, records: StatRecords): Promise<boolean> {
  try {
    return await probeCtime(partial, records.latestCtimeNs);
  } catch (error) {
    throw diskError(error, folder, "");
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

function makeDirectories(root: string, listing: CheckedListing): void {
  const made = new Set<string>([""]);
  const make = (directory: string): void => {
    if (made.has(directory)) return;
    mkdirSync(join(root, directory), { recursive: true });
    made.add(directory);
  };
  const { objects } = listing;
  for (let row = 0; row < objects.count; row += 1) make(parentOf(objects.path(row)));
  for (const directory of listing.markerDirectories) make(directory);
}

/** What cannot be removed is a leftover like one of a killed process; why the sync-in failed is what counts. */
function removeQuietly(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Said above.
  }
}

/** What is noted of the files, by row. */
interface SeenFiles {
  readonly objects: ObjectTable;
  readonly records: StatRecords;
  readonly sums: Map<number, PrefixSums>;
}

/**
 * Brings every object to its file, from the cache or from the server, and notes what the disk says of each; returns how
 * many came from the cache. One object of all, any of them alike, is asked for at the server in any case.
 */
async function placeAll(
  context: JobContext,
  job: SyncInJob,
  { objects, records, sums }: SeenFiles,
  root: string,
): Promise<number> {
  const totalFileCount = objects.count;
  let fileCount = 0;
  let sizeBytes = 0;
  let cachedCount = 0;
  const sample = Math.floor(Math.random() * totalFileCount);
  await forEachBounded(rowsOf(objects), context.slotCount, context.signal, async (row, signal) => {
    const object = objects.entry(row);
    const { path } = object;
    const inner = { ...context, signal };
    const place = { folder: job.folder, absolutePath: join(root, path), path };
    const placed = await placeObject(inner, job, { object, contentId: objects.contentId(row) }, place);
    if (placed.mark.sizeBytes !== object.sizeBytes) throw changed(path);
    objects.learnHash(row, placed.md5);
    records.set(row, placed.mark);
    if (placed.sums !== undefined) sums.set(row, placed.sums);
    if (placed.isCached) {
      cachedCount += 1;
      if (row === sample) await assertReadable(inner, job, object);
    }
    sizeBytes += object.sizeBytes;
    fileCount += 1;
    context.report({ phase: "download", fileCount, sizeBytes, totalFileCount });
  });
  return cachedCount;
}

function* rowsOf(objects: ObjectTable): Generator<number> {
  for (let row = 0; row < objects.count; row += 1) yield row;
}
