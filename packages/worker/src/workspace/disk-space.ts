import { statfs } from "node:fs/promises";

/** What a disk has left for a user without rights. */
export interface DiskSpace {
  readonly freeBytes: number;
  /** Free file records; undefined where the file system counts none. */
  readonly freeFileCount?: number;
}

/** Fewer free file records than this is a full disk too. */
const MIN_FREE_FILES = 1_000;

/** Reads the free space of the disk that the folder is on. */
export async function readDiskSpace(folder: string): Promise<DiskSpace> {
  const { bavail, bsize, files, ffree } = await statfs(folder);
  return { freeBytes: bavail * bsize, ...(files === 0 ? {} : { freeFileCount: ffree }) };
}

/** Why no task may be taken now, or undefined: the workspace disk is too full for one (case T08). Pure. */
export function diskReason(space: DiskSpace, minFreeBytes: number): string | undefined {
  if (space.freeBytes < minFreeBytes) {
    return `the workspace disk has ${mebibytes(space.freeBytes)} MB free, less than ${mebibytes(minFreeBytes)} MB`;
  }
  if (space.freeFileCount !== undefined && space.freeFileCount < MIN_FREE_FILES) {
    return `the workspace disk has only ${space.freeFileCount} free file records`;
  }
  return undefined;
}

/**
 * A check to make before each poll: why none may be made, or undefined. A disk that cannot be read is full. Never
 * throws.
 */
export function createDiskCheck(options: {
  readonly root: string;
  readonly minFreeBytes: number;
  /** Default: the disk itself. */
  readonly read?: (folder: string) => Promise<DiskSpace>;
}): () => Promise<string | undefined> {
  const read = options.read ?? readDiskSpace;
  return async () => {
    try {
      return diskReason(await read(options.root), options.minFreeBytes);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
      return `the workspace disk cannot be read: ${code}`;
    }
  };
}

function mebibytes(sizeBytes: number): number {
  return Math.floor(sizeBytes / 1024 ** 2);
}
