import { closeSync, fstatSync } from "node:fs";
import { lateHashFromSizeBytes } from "../folder/prefix-sums.ts";
import { probeCtime } from "../folder/probe-ctime.ts";
import { assertUnchanged, chunkSizeBytes, hashFile, markOf, sameMark, type OpenFile } from "../folder/read-file.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { breathe } from "./bounded.ts";
import { openProjected } from "./file-body.ts";
import type { FileTable, MarkedFile } from "./file-table.ts";

/**
 * Whether a large file is known not to be what came in, and its mark pins the bytes that it has now: it can then be
 * hashed while it is sent (rules R2, T8). A file is another where it is new, has another size, or begins with other
 * bytes. Its mark pins it as stat records do (rule T5): where a later change gets a later ctime than it has.
 */
export async function isKnownToDiffer(
  { records, folder, objects, sums }: Snapshot,
  row: number | undefined,
  file: OpenFile,
  scratch: Buffer,
  pause: () => Promise<void>,
): Promise<boolean> {
  const mark = markOf(file.stats);
  if (records === undefined || mark.sizeBytes < lateHashFromSizeBytes) return false;
  const isPinned = await probeCtime(folder, mark.ctimeNs).catch(() => false);
  if (!isPinned) return false;
  const known = row === undefined ? undefined : sums.get(row);
  const isOther =
    row === undefined ||
    objects.sizeBytes(row) !== mark.sizeBytes ||
    (await known?.differFrom(file.descriptor, scratch, pause)) === true;
  return isOther && sameMark(mark, markOf(fstatSync(file.descriptor, { bigint: true })));
}

/** MD5 of a projected file, which must still be what was projected (rule T8). */
export async function hashProjected(folder: string, file: MarkedFile, signal: AbortSignal): Promise<string> {
  const open = openProjected(folder, file);
  try {
    const { hash, mark } = await hashFile(file.path, open, Buffer.allocUnsafe(chunkSizeBytes), async () => {
      await breathe();
      signal.throwIfAborted();
    });
    assertUnchanged(file.path, file.mark, mark);
    return hash;
  } finally {
    closeSync(open.descriptor);
  }
}

/** Hashes what was left to be hashed when it is sent, where something else than sending needs to know. */
export async function hashAll(folder: string, files: FileTable, signal: AbortSignal): Promise<void> {
  for (const file of files.unhashed()) files.learnHash(file, await hashProjected(folder, file, signal));
}
