import type { BodySource } from "../client/http.ts";
import type { MultipartUpload, StagedPlace, StoredPart } from "../client/staging.ts";
import type { ObjectStats } from "../client/types.ts";
import type { ObjectAttributes } from "../client/upload-shape.ts";
import { SyncError } from "../errors.ts";
import { md5OfChecksum } from "../listing/object-table.ts";
import { forEachBounded } from "./bounded.ts";
import type { JobContext } from "./context.ts";
import { hashing, partBody } from "./file-body.ts";
import type { MarkedFile } from "./file-table.ts";
import { partRange, type UploadWay } from "./upload-way.ts";

/** Parts of one file on their way at a time. */
const partSlotCount = 4;
/** Longest wait for the end of a failed upload, in milliseconds. */
const abortTimeoutMs = 10_000;

/** Where a file in parts goes. */
export interface PartsTarget {
  readonly place: StagedPlace;
  readonly folder: string;
  readonly attributes: ObjectAttributes;
}

/**
 * Uploads a file in parts, each with an address asked just before its use and repeated alone where it fails (cases B02,
 * B03). After a failure the upload is given up as well as it goes; the first error stands (case B05).
 */
export async function uploadParts(
  context: JobContext,
  target: PartsTarget,
  file: MarkedFile,
  way: Extract<UploadWay, { readonly kind: "multipart" }>,
): Promise<ObjectStats> {
  const { client, signal } = context;
  const { place, attributes } = target;
  const upload = await client.createPresignMultipartUpload(place, { signal });
  try {
    const parts: StoredPart[] = [];
    await forEachBounded(numbersTo(way.partCount), partSlotCount, signal, async (partNumber, inner) => {
      const part = partRange(partNumber, way.partSizeBytes, file.sizeBytes);
      const source = partBody(target.folder, file, part);
      parts.push(await sendPart({ ...context, signal: inner }, place, upload, partNumber, source));
    });
    parts.sort((left, right) => left.partNumber - right.partNumber);
    return await client.completePresignMultipartUpload(place, upload, { parts, ...attributes }, { signal });
  } catch (error) {
    await client.abortPresignMultipartUpload(place, upload, { timeoutMs: abortTimeoutMs }).catch(() => undefined);
    throw error;
  }
}

async function sendPart(
  { client, signal }: JobContext,
  place: StagedPlace,
  upload: MultipartUpload,
  partNumber: number,
  source: BodySource,
): Promise<StoredPart> {
  const hashed = hashing(source);
  const address = (): Promise<string> => client.uploadPart(place, upload, partNumber, { signal });
  const etag = await client.storage.put({ subject: `${place.path} part ${partNumber}`, address }, hashed, { signal });
  const sent = hashed.hash();
  if (md5OfChecksum(etag) !== undefined && md5OfChecksum(etag) !== sent) {
    const what = `part ${partNumber} of ${JSON.stringify(place.path)}`;
    throw new SyncError("transfer_mismatch", `${what} was sent with the MD5 ${sent}, and stored with ${etag}`, [
      place.path,
    ]);
  }
  return { partNumber, etag };
}

function* numbersTo(last: number): Generator<number> {
  for (let number = 1; number <= last; number += 1) yield number;
}
