import {
  closeSync,
  existsSync,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  openSync,
  rmSync,
  type Stats,
} from "node:fs";
import { crc32 } from "node:zlib";
import { diskError } from "../folder/disk-error.ts";
import type { FilePlace } from "../folder/new-file.ts";
import { openFlags, readFully } from "../folder/read-file.ts";
import { writeWhole } from "../folder/write-whole.ts";
import { contentPath, type CachePlaces } from "./cache-root.ts";
import { cloneFile } from "./clone-file.ts";
import { readPieces } from "./read-pieces.ts";
import { decodeTrailer, trailerSizeBytes, type Trailer } from "./trailer.ts";

/** Which content is wanted. */
export interface ContentRequest {
  readonly contentId: string;
  readonly sizeBytes: number;
  /** MD5 where the object's record has one. */
  readonly md5: string | undefined;
}

/** Which content is wanted, and where to. */
export interface TakeRequest extends ContentRequest, FilePlace {}

/** What came of it. `damaged`: the file was there and is gone now. */
export type Taken<Whole> = Whole | "missing" | "damaged";

/** A use is noted in a file's mtime at most this often. */
const touchAfterMs = 10 * 60_000;

/**
 * Reads a small content and its trailer into a buffer that holds both, and checks all of it; what does not hold is
 * removed. A cache that cannot be read is a cache without the file.
 */
export function readContent(
  places: CachePlaces,
  request: ContentRequest,
  buffer: Buffer,
): Taken<{ readonly md5: string; readonly bytes: Buffer }> {
  const source = contentPath(places, request.contentId);
  const descriptor = openContent(source);
  if (typeof descriptor !== "number") return descriptor;
  try {
    const stats = fstatSync(descriptor);
    const isFitting = stats.isFile() && stats.size === request.sizeBytes + trailerSizeBytes;
    const whole = buffer.subarray(0, stats.size);
    if (!isFitting || readFully(descriptor, whole, 0) !== whole.length) return discard(source);
    const bytes = whole.subarray(0, request.sizeBytes);
    const trailer = fittingTrailer(whole.subarray(request.sizeBytes), request);
    if (trailer === undefined || crc32(bytes) !== trailer.crc) return discard(source);
    noteUse(descriptor, stats);
    return { md5: trailer.md5, bytes };
  } catch {
    return discard(source);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Copies a content out of the cache into a new file, never as a link: the body may write into it. All bytes are checked
 * on the way; what does not hold is removed from the cache and from the folder. Throws what the workspace's disk
 * refuses; a cache that cannot be read is a cache without the file.
 */
export async function takeContent(
  places: CachePlaces,
  request: TakeRequest,
  pause: () => Promise<void>,
): Promise<Taken<{ readonly md5: string }>> {
  const source = contentPath(places, request.contentId);
  const descriptor = openContent(source);
  if (typeof descriptor !== "number") return descriptor;
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

function openContent(path: string): number | "missing" | "damaged" {
  // Asked first, because a thrown error costs as much as a small file.
  if (!existsSync(path)) return "missing";
  try {
    return openSync(path, openFlags.read);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ELOOP" ? discard(path) : "missing";
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
  if (!stats.isFile() || stats.size !== request.sizeBytes + trailerSizeBytes) return undefined;
  const bytes = Buffer.allocUnsafe(trailerSizeBytes);
  readFully(descriptor, bytes, request.sizeBytes);
  return fittingTrailer(bytes, request);
}

function fittingTrailer(bytes: Buffer, { contentId, sizeBytes, md5 }: ContentRequest): Trailer | undefined {
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
      request.sums?.add(piece);
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
