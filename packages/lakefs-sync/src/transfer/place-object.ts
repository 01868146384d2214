import { lstatSync } from "node:fs";
import { trailerSizeBytes } from "../cache/trailer.ts";
import { diskError } from "../folder/disk-error.ts";
import { lateHashFromSizeBytes, PrefixSums } from "../folder/prefix-sums.ts";
import { NewFile, type FilePlace } from "../folder/new-file.ts";
import { chunkSizeBytes, markOf, type FileMark } from "../folder/read-file.ts";
import { md5OfChecksum, type ListedObject } from "../listing/object-table.ts";
import type { JobContext } from "./context.ts";
import { downloadLarge, downloadSmall } from "./download.ts";

/** An object with its name in the local cache, where it may be kept. */
export interface PlacedObject {
  readonly object: ListedObject;
  readonly contentId: string | undefined;
}

/** A file that stands in its place. */
export interface Placed {
  /** MD5 of its bytes. */
  readonly md5: string;
  readonly mark: FileMark;
  readonly isCached: boolean;
  /** Of a large file. */
  readonly sums?: PrefixSums | undefined;
}

/** Buffers between two small objects: as many as ever ran at a time, so that none is made anew for each. */
const spareBuffers: Buffer[] = [];

/** Brings one object to one new file, from the cache or from the server, verified. */
export function placeObject(
  context: JobContext,
  where: { readonly repository: string; readonly commitId: string },
  placed: PlacedObject,
  place: FilePlace,
): Promise<Placed> {
  const put = placed.object.sizeBytes > chunkSizeBytes ? placeLarge : placeSmall;
  return put(context, where, placed, place);
}

/**
 * A small object is in memory whole, and only then written. Write calls are synchronous: for small files that is
 * quicker than through the thread pool, and only this worker thread waits.
 */
async function placeSmall(
  context: JobContext,
  where: { readonly repository: string; readonly commitId: string },
  { object, contentId }: PlacedObject,
  place: FilePlace,
): Promise<Placed> {
  const file = new NewFile(place, context.stock);
  const buffer = spareBuffers.pop() ?? Buffer.allocUnsafeSlow(chunkSizeBytes + trailerSizeBytes);
  try {
    const request = contentId === undefined ? undefined : requestOf(contentId, object);
    const taken = request === undefined ? undefined : context.cache?.read(request, buffer);
    const { bytes, md5 } = taken ?? (await downloadSmall(context, where, object, buffer));
    return { md5, mark: await file.write(bytes), isCached: taken !== undefined };
  } finally {
    spareBuffers.push(buffer);
    await file.close();
  }
}

async function placeLarge(
  context: JobContext,
  where: { readonly repository: string; readonly commitId: string },
  { object, contentId }: PlacedObject,
  target: FilePlace,
): Promise<Placed> {
  const sums = object.sizeBytes < lateHashFromSizeBytes ? undefined : new PrefixSums();
  const place = { ...target, sums };
  const request = contentId === undefined ? undefined : { ...place, ...requestOf(contentId, object) };
  const taken = request === undefined ? undefined : await context.cache?.take(request);
  const md5 = taken ?? (await downloadLarge(context, where, object, place));
  try {
    return { md5, mark: markOf(lstatSync(place.absolutePath, { bigint: true })), isCached: taken !== undefined, sums };
  } catch (error) {
    throw diskError(error, place.folder, place.path);
  }
}

function requestOf(contentId: string, { sizeBytes, checksum }: ListedObject) {
  return { contentId, sizeBytes, md5: md5OfChecksum(checksum) };
}
