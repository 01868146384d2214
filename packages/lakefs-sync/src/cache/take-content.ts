import { closeSync, fchmodSync, fstatSync, ftruncateSync, futimesSync, openSync, rmSync, type Stats } from "node:fs";
import { diskError } from "../folder/disk-error.ts";
import { openFlags, readFully } from "../folder/read-file.ts";
import { writeWhole } from "../folder/write-whole.ts";
import { contentPath, type CachePlaces } from "./cache-root.ts";
import { cloneFile } from "./clone-file.ts";
import { readPieces } from "./read-pieces.ts";
import { decodeTrailer, trailerSizeBytes, type Trailer } from "./trailer.ts";

/** Which content is wanted, and where to. */
export interface TakeRequest {
  readonly contentId: string;
  readonly sizeBytes: number;
  /** MD5 where the object's record has one. */
  readonly md5: string | undefined;
  readonly folder: string;
  readonly absolutePath: string;
  readonly path: string;
}

/** What came of it. `damaged`: the file was there and is gone now. */
export type Taken = { readonly md5: string } | "missing" | "damaged";

/** A use is noted in a file's mtime at most this often. */
const touchAfterMs = 10 * 60_000;

/**
 * Copies a content out of the cache into a new file, never as a link: the body may write into it. All bytes are checked
 * on the way; what does not hold is removed from the cache and from the folder. Throws what the workspace's disk
 * refuses; a cache that cannot be read is a cache without the file.
 */
export async function takeContent(
  places: CachePlaces,
  request: TakeRequest,
  pause: () => Promise<void>,
): Promise<Taken> {
  const source = contentPath(places, request.contentId);
  let descriptor: number;
  try {
    descriptor = openSync(source, openFlags.read);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ELOOP" ? discard(source) : "missing";
  }
  try {
    const stats = fstatSync(descriptor);
    const trailer = trailerOf(descriptor, stats, request);
    if (trailer !== undefined && (await copyOut(source, descriptor, trailer, request, pause))) {
      noteUse(descriptor, stats);
      return { md5: trailer.md5 };
    }
    return discard(source);
  } finally {
    closeSync(descriptor);
  }
}

/** Whatever lies there, what comes after it finds the place free. */
function discard(path: string): "damaged" {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // It stays, and is no more than a content that is never there.
  }
  return "damaged";
}

function trailerOf(descriptor: number, stats: Stats, request: TakeRequest): Trailer | undefined {
  const { contentId, sizeBytes, md5 } = request;
  if (!stats.isFile() || stats.size !== sizeBytes + trailerSizeBytes) return undefined;
  const bytes = Buffer.allocUnsafe(trailerSizeBytes);
  readFully(descriptor, bytes, sizeBytes);
  const trailer = decodeTrailer(bytes);
  const fits =
    trailer?.contentId === contentId && trailer.sizeBytes === sizeBytes && (md5 ?? trailer.md5) === trailer.md5;
  return fits ? trailer : undefined;
}

async function copyOut(
  source: string,
  descriptor: number,
  trailer: Trailer,
  request: TakeRequest,
  pause: () => Promise<void>,
): Promise<boolean> {
  const { folder, absolutePath, path } = request;
  let target: number | undefined;
  try {
    const isClone = cloneFile(source, absolutePath, trailer.sizeBytes);
    target = openSync(absolutePath, isClone ? openFlags.change : openFlags.create, 0o644);
    const out = target;
    if (isClone) {
      fchmodSync(out, 0o644);
      ftruncateSync(out, trailer.sizeBytes);
    }
    const write = (piece: Buffer): void => {
      if (!isClone) writeWhole(out, piece);
    };
    const crc = await readPieces(isClone ? out : descriptor, trailer.sizeBytes, write, pause);
    if ((crc ?? -1) === trailer.crc) return true;
    rmSync(absolutePath, { force: true });
    return false;
  } catch (error) {
    throw diskError(error, folder, path);
  } finally {
    if (target !== undefined) closeSync(target);
  }
}

/** The least recently used go first: by mtime, which needs no lock between hosts. */
function noteUse(descriptor: number, stats: Stats): void {
  const nowMs = Date.now();
  if (nowMs - stats.mtimeMs < touchAfterMs) return;
  try {
    futimesSync(descriptor, nowMs / 1000, nowMs / 1000);
  } catch {
    // A use that is not noted costs a download later.
  }
}
