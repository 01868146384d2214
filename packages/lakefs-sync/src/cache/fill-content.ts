import { createHash, randomUUID } from "node:crypto";
import { closeSync, existsSync, fchmodSync, fstatSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { markOf, openForRead, openFlags, sameMark, type FileMark } from "../folder/read-file.ts";
import { writeWhole } from "../folder/write-whole.ts";
import { contentPath, type CachePlaces } from "./cache-root.ts";
import { cloneFile } from "./clone-file.ts";
import { readPieces } from "./read-pieces.ts";
import { encodeTrailer } from "./trailer.ts";

/** A file of a workspace folder whose bytes are worth keeping. */
export interface FillItem {
  readonly contentId: string;
  readonly absolutePath: string;
  readonly sizeBytes: number;
  /** Verified against the object's record when the file came in or went out. */
  readonly md5: string;
  /** A stat record that cannot lie (rule T5); without one the bytes are hashed again. */
  readonly mark: FileMark | undefined;
}

/**
 * What came of it: `changed` where the file is not what it was, `full` where the cache's disk takes no more,
 * `elsewhere` where the file lies on another disk and cannot be moved.
 */
export type Filled = "kept" | "held" | "changed" | "full" | "elsewhere" | "failed";

/**
 * Copies a file into the cache: under a temporary name, and renamed when all of it is there. A body may run meanwhile:
 * only bytes that are proven to be the object's are kept. Never throws: a file that is not kept costs a download later.
 * Nothing is flushed to the disk: what a power cut leaves half-written fails its CRC when it is used.
 */
export async function fillContent(places: CachePlaces, item: FillItem, pause: () => Promise<void>): Promise<Filled> {
  const final = contentPath(places, item.contentId);
  if (existsSync(final)) return "held";
  const temporary = join(places.temporary, randomUUID());
  try {
    if (!(await copyIn(item, temporary, pause))) return "changed";
    putUnder(final, temporary);
    return "kept";
  } catch (error) {
    return filledAfter(error);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/**
 * Makes a file of a folder that is about to go a file of the cache: it is read for its CRC, gets its trailer and is
 * renamed, which costs neither a second file nor its bytes again. Only a stat record proves that it is the object's
 * (rule T5), and a file that has another name too stays where it is. What somebody still writes into it afterwards
 * fails its CRC when it is used. Never throws.
 */
export async function moveContent(
  places: CachePlaces,
  item: FillItem & { readonly mark: FileMark },
  pause: () => Promise<void>,
): Promise<Filled> {
  const final = contentPath(places, item.contentId);
  if (existsSync(final)) return "held";
  try {
    if (!(await sealInPlace(item, pause))) return "changed";
    putUnder(final, item.absolutePath);
    return "kept";
  } catch (error) {
    return filledAfter(error);
  }
}

function putUnder(final: string, path: string): void {
  const shard = dirname(final);
  if (!existsSync(shard)) mkdirSync(shard, { recursive: true, mode: 0o700 });
  renameSync(path, final);
}

function filledAfter(error: unknown): Filled {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOSPC" || code === "EDQUOT") return "full";
  if (code === "EXDEV") return "elsewhere";
  return code === "ENOENT" || code === "ELOOP" ? "changed" : "failed";
}

/** Gives an unchanged file its trailer and the mode of the cache's files; false where it is not what it was. */
async function sealInPlace(
  { absolutePath, contentId, sizeBytes, md5, mark }: FillItem & { readonly mark: FileMark },
  pause: () => Promise<void>,
): Promise<boolean> {
  const descriptor = openSync(absolutePath, openFlags.change);
  try {
    const stats = fstatSync(descriptor, { bigint: true });
    if (!stats.isFile() || stats.nlink !== 1n || !sameMark(mark, markOf(stats))) return false;
    const crc = await readPieces(descriptor, sizeBytes, ignore, pause);
    if (crc === undefined || !sameMark(mark, markOf(fstatSync(descriptor, { bigint: true })))) return false;
    writeWhole(descriptor, encodeTrailer({ contentId, md5, sizeBytes, crc }), sizeBytes);
    fchmodSync(descriptor, 0o600);
    return true;
  } finally {
    closeSync(descriptor);
  }
}

function ignore(): void {}

async function copyIn(item: FillItem, temporary: string, pause: () => Promise<void>): Promise<boolean> {
  const { contentId, sizeBytes, md5 } = item;
  const source = openForRead(item.absolutePath);
  let target: number | undefined;
  try {
    const before = markOf(source.stats);
    const isOther = !source.stats.isFile() || before.sizeBytes !== sizeBytes;
    if (isOther || (item.mark !== undefined && !sameMark(item.mark, before))) return false;
    const isClone = cloneFile(item.absolutePath, temporary, sizeBytes);
    target = openSync(temporary, isClone ? openFlags.change : openFlags.create, 0o600);
    const out = target;
    const running = item.mark === undefined ? createHash("md5") : undefined;
    const take = (piece: Buffer): void => {
      running?.update(piece);
      if (!isClone) writeWhole(out, piece);
    };
    const crc = await readPieces(isClone ? out : source.descriptor, sizeBytes, take, pause);
    if (crc === undefined || (running !== undefined && running.digest("hex") !== md5)) return false;
    if (!sameMark(before, markOf(fstatSync(source.descriptor, { bigint: true })))) return false;
    writeWhole(out, encodeTrailer({ contentId, md5, sizeBytes, crc }), sizeBytes);
    return true;
  } finally {
    closeSync(source.descriptor);
    if (target !== undefined) closeSync(target);
  }
}
