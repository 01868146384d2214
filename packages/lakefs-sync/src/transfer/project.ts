import { closeSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { sampleOf, SyncError } from "../errors.ts";
import { diskError } from "../folder/disk-error.ts";
import { chunkSizeBytes, hashFile, markOf, openForRead } from "../folder/read-file.ts";
import { walkFolder, type FolderDefect } from "../folder/walk.ts";
import { pathIdentity } from "../keys/disk-traits.ts";
import { isActionKey, keySizeBytes, maxKeySizeBytes } from "../keys/segment.ts";
import { planChanges, type ChangePlan } from "../plan/plan.ts";
import { projectionDigest } from "../plan/digest.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { breathe } from "./bounded.ts";
import { maxProjectionFileCount, type JobContext } from "./context.ts";
import { FileTable, type MarkedFile } from "./file-table.ts";
import { isKnownToDiffer } from "./late-hash.ts";

/** What a folder shows now, and how that differs from what was brought in. */
export interface Projection {
  readonly files: FileTable;
  readonly digest: string;
  /** Against the snapshot. */
  readonly plan: ChangePlan;
  /** Files whose bytes were read, because no stat record could decide. */
  readonly hashedCount: number;
}

/** Files hashed between two looks at waiting messages. */
const filesPerBreath = 64;

/**
 * Walks the folder, hashes the files that no stat record shows to be unchanged, and plans the changes against the
 * snapshot. Links, sockets, FIFOs, devices and unreadable files (rule T7), keys below `_lakefs_actions/` (rule T6) and
 * keys over 1024 bytes (rule T11, case N15) fail, all named at once.
 */
export async function projectFolder(context: JobContext, snapshot: Snapshot): Promise<Projection> {
  const defects: FolderDefect[] = [];
  const tooLong: string[] = [];
  const scratch = Buffer.allocUnsafe(chunkSizeBytes);
  const { objects } = snapshot;
  const files = new FileTable(objects);
  let hashedCount = 0;
  for (const path of walkFolder(snapshot.folder, snapshot.excludedPaths, (defect) => defects.push(defect))) {
    const row = objects.find(path);
    const key = snapshot.prefix + (row === undefined ? path : objects.path(row));
    if (isActionKey(key)) {
      defects.push({ path, what: "below _lakefs_actions/, which belongs to lakeFS' hooks" });
      continue;
    }
    if (snapshot.markerDirectories.has(pathIdentity(path, snapshot.disk))) {
      // The marker stays on the branch (rule T6): the next sync-in would meet an object and a directory of one name.
      defects.push({ path, what: "a file where the input has a directory marker object" });
    }
    if (keySizeBytes(key) > maxKeySizeBytes) tooLong.push(key);
    let file = row === undefined ? undefined : unchangedFile(snapshot, path, row);
    if (file === undefined) {
      file = await readOne(snapshot, path, row, scratch, context.signal, (defect) => defects.push(defect));
      hashedCount += 1;
    }
    if (file !== undefined) {
      files.add(file);
    }
    if (files.count > maxProjectionFileCount) defects.push({ path: ".", what: `over ${maxProjectionFileCount} files` });
    if (files.count % filesPerBreath === 0) {
      await breathe();
      context.signal.throwIfAborted();
      context.report({ phase: "hash", fileCount: files.count, sizeBytes: files.sizeBytes });
    }
  }
  assertStageable(defects, tooLong);
  const plan = planChanges({ base: objects, folder: files });
  return { files, digest: projectionDigest(files.contents(), files.count), plan, hashedCount };
}

/** A file whose stat record is what it was when it came in: the same bytes, without a look at them (rule T5). */
function unchangedFile({ records, objects, folder }: Snapshot, path: string, row: number): MarkedFile | undefined {
  const hash = objects.hash(row);
  if (records === undefined || hash === undefined) return undefined;
  const stats = lstatSync(join(folder, path), { bigint: true, throwIfNoEntry: false });
  if (stats === undefined || !stats.isFile()) return undefined;
  const mark = markOf(stats);
  return records.equals(row, mark) ? { path, sizeBytes: mark.sizeBytes, hash, mark } : undefined;
}

/** Throws `SyncError` where the folder holds what cannot be staged, all of it named. */
export function assertStageable(defects: readonly FolderDefect[], tooLong: readonly string[]): void {
  if (defects.length > 0) {
    const named = defects.slice(0, 10).map((defect) => `${JSON.stringify(defect.path)} is ${defect.what}`);
    const rest = defects.length - named.length;
    const message = `the folder cannot be staged: ${named.join("; ")}${rest > 0 ? `; and ${rest} more` : ""}`;
    const names = defects.slice(0, 100).map((defect) => defect.path);
    throw new SyncError("folder_unstageable", message, names);
  }
  if (tooLong.length > 0) {
    const longest = tooLong.toSorted((left, right) => keySizeBytes(right) - keySizeBytes(left));
    const size = keySizeBytes(longest[0] ?? "");
    const message = `keys of over ${maxKeySizeBytes} bytes, the longest has ${size}: ${sampleOf(longest)}`;
    throw new SyncError("key_too_long", message, longest.slice(0, 100));
  }
}

/**
 * Hashes one file where it must be; what the task made unreadable is a defect, what the disk or host cannot do is an
 * error.
 */
async function readOne(
  snapshot: Snapshot,
  path: string,
  row: number | undefined,
  scratch: Buffer,
  signal: AbortSignal,
  onDefect: (defect: FolderDefect) => void,
): Promise<MarkedFile | undefined> {
  const absolutePath = join(snapshot.folder, path);
  try {
    const file = openForRead(absolutePath);
    try {
      if (!file.stats.isFile()) {
        onDefect({ path, what: "no plain file any more" });
        return undefined;
      }
      // Root reads what nobody may read: the owner's bit decides for every user alike (case T04).
      if ((file.stats.mode & 0o400n) === 0n) {
        onDefect({ path, what: "unreadable (no read permission)" });
        return undefined;
      }
      const pause = async (): Promise<void> => {
        await breathe();
        signal.throwIfAborted();
      };
      if (await isKnownToDiffer(snapshot, row, file, scratch, pause)) {
        const mark = markOf(file.stats);
        return { path, sizeBytes: mark.sizeBytes, hash: undefined, mark };
      }
      const { hash, mark } = await hashFile(path, file, scratch, pause);
      return { path, sizeBytes: mark.sizeBytes, hash, mark };
    } finally {
      closeSync(file.descriptor);
    }
  } catch (error) {
    const typed = diskError(error, snapshot.folder, path);
    if (typed instanceof SyncError && typed.code === "disk_denied") {
      onDefect({ path, what: "unreadable (no read permission)" });
      return undefined;
    }
    throw typed;
  }
}
