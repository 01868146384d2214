import { createHash, hash as hashOnce } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync, type BigIntStats } from "node:fs";
import { SyncError } from "../errors.ts";

/** Bytes read at once; no file is ever in memory whole beyond this (case B06). */
export const chunkSizeBytes = 256 * 1024;

// No-follow: a link put in the place of a file is an error, not a way out of the folder (case T02). Non-block: opening
// a FIFO returns, and the check of its type refuses it.
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** How files are opened: never through a link (case T02). `create` makes a new one, `change` writes into one. */
export const openFlags = {
  read: readFlags,
  create: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
  change: constants.O_RDWR | constants.O_NOFOLLOW,
};

/**
 * Which file a descriptor shows and in what state; equal marks before and after mean: not changed meanwhile (rule T8).
 */
export interface FileMark {
  readonly inode: bigint;
  readonly sizeBytes: number;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

/** A file that is open for reading. */
export interface OpenFile {
  readonly descriptor: number;
  readonly stats: BigIntStats;
}

/** Opens without following; the caller closes. */
export function openForRead(absolutePath: string): OpenFile {
  const descriptor = openSync(absolutePath, readFlags);
  try {
    return { descriptor, stats: fstatSync(descriptor, { bigint: true }) };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** The mark of a file from its stats. */
export function markOf(stats: BigIntStats): FileMark {
  return { inode: stats.ino, sizeBytes: Number(stats.size), mtimeNs: stats.mtimeNs, ctimeNs: stats.ctimeNs };
}

/** Whether a file is in the state that it was in. */
export function sameMark(before: FileMark, after: FileMark): boolean {
  return (
    before.inode === after.inode &&
    before.sizeBytes === after.sizeBytes &&
    before.mtimeNs === after.mtimeNs &&
    before.ctimeNs === after.ctimeNs
  );
}

/** Fails where a file is not what it was (rule T8). */
export function assertUnchanged(path: string, before: FileMark, after: FileMark): void {
  if (!sameMark(before, after)) throw changed(path);
}

/** The error for a file that is not what it was (rule T8). */
export function changed(path: string): SyncError {
  return new SyncError("file_changed", `the file ${JSON.stringify(path)} changed while it was read`, [path]);
}

/** Reads up to a whole buffer; fewer bytes only at the end of the file. */
export function readFully(descriptor: number, target: Buffer, position: number): number {
  let filled = 0;
  while (filled < target.length) {
    const count = readSync(descriptor, target, filled, target.length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled;
}

/**
 * MD5 of a file and its mark; `pause` is awaited between chunks of a large one, so that the thread stays answerable.
 */
export async function hashFile(
  path: string,
  file: OpenFile,
  scratch: Buffer,
  pause: () => Promise<void>,
): Promise<{ readonly hash: string; readonly mark: FileMark }> {
  const before = markOf(file.stats);
  const first = readFully(file.descriptor, scratch, 0);
  let hash: string;
  let sizeBytes = first;
  if (first < scratch.length) {
    hash = hashOnce("md5", scratch.subarray(0, first), "hex");
  } else {
    const running = createHash("md5").update(scratch);
    for (let count = first; count > 0; sizeBytes += count) {
      await pause();
      count = readFully(file.descriptor, scratch, sizeBytes);
      running.update(scratch.subarray(0, count));
      if (sizeBytes > before.sizeBytes) break;
    }
    hash = running.digest("hex");
  }
  if (sizeBytes !== before.sizeBytes) throw changed(path);
  assertUnchanged(path, before, markOf(fstatSync(file.descriptor, { bigint: true })));
  return { hash, mark: before };
}
