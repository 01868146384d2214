import { lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { SyncError } from "../errors.ts";

/** Where a cache lies and how much it may hold. Plain data: it can cross a thread border. */
export interface CacheOptions {
  /** Absolute path of a folder of this user alone; several hosts may share it. */
  readonly root: string;
  /** Bytes on the disk; passed by at most a sixteenth a host between two sweeps. */
  readonly maxSizeBytes: number;
  /** Bytes of its disk that the cache leaves to others. Default 1 GiB. */
  readonly minFreeBytes?: number;
}

/** {@link CacheOptions.minFreeBytes} where it is not given. */
export const defaultMinFreeBytes = 1024 ** 3;

/** The files of a cache. Contents lie in up to 256 folders by the first two letters of their ids. */
export interface CachePlaces {
  readonly objects: string;
  /** Where contents are written before they get their names; on the same disk. */
  readonly temporary: string;
  /** Empty files that are still nobody's (see `file-stock.ts`). */
  readonly stock: string;
}

/** Where a content lies. */
export function contentPath({ objects }: CachePlaces, contentId: string): string {
  return join(objects, contentId.slice(0, 2), contentId.slice(2));
}

/**
 * Makes the folders of a cache, or takes those that are there. Throws `SyncError` `cache_unusable` where the root
 * belongs to somebody else or others may write to it: what lies in it goes into workspaces.
 */
export function openCacheRoot(root: string): CachePlaces {
  const places = { objects: join(root, "objects"), temporary: join(root, "tmp"), stock: join(root, "stock") };
  try {
    for (const folder of [root, places.objects, places.temporary, places.stock]) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const stats = lstatSync(folder);
      if (!stats.isDirectory()) throw unusable("is no folder");
      if (stats.uid !== process.getuid?.()) throw unusable("belongs to another user");
      if ((stats.mode & 0o022) !== 0) throw unusable("may be written by other users");
    }
    return places;
  } catch (error) {
    if (error instanceof SyncError) throw error;
    throw unusable(`cannot be used (${error instanceof Error && "code" in error ? String(error.code) : "unknown"})`);
  }
}

function unusable(what: string): SyncError {
  return new SyncError("cache_unusable", `the folder of the local cache ${what}`);
}
