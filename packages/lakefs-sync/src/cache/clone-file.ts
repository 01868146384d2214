import { constants, copyFileSync } from "node:fs";

/** A copy by reading is as fast below this. */
const minCloneSizeBytes = 256 * 1024;

/** Makes a new file that shares the bytes of another until one is written (reflink); false where the disk cannot. */
export function cloneFile(source: string, target: string, sizeBytes: number): boolean {
  if (sizeBytes <= minCloneSizeBytes) return false;
  try {
    copyFileSync(source, target, constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL);
    return true;
  } catch {
    // Not on this disk, or not between these two; whatever else is wrong, the copy will say.
    return false;
  }
}
