import type { BodySource } from "../client/http.ts";
import type { StagedPlace } from "../client/staging.ts";
import type { ObjectStats } from "../client/types.ts";
import { SyncError } from "../errors.ts";
import { changed, chunkSizeBytes } from "../folder/read-file.ts";
import { md5OfChecksum } from "../listing/object-table.ts";
import type { PlannedUpload } from "../plan/plan.ts";
import type { JobContext } from "./context.ts";
import { fileBody, hashing, type HashingBody } from "./file-body.ts";
import type { MarkedFile } from "./file-table.ts";
import { hashProjected } from "./late-hash.ts";
import { uploadParts } from "./upload-parts.ts";
import { needsAbilities, storageLimits, uploadWay, type UploadWay } from "./upload-way.ts";

/** A file with its plan and the state in which it was projected. */
export interface UploadItem {
  readonly upload: PlannedUpload;
  readonly file: MarkedFile;
}

/** Where uploads go and come from. */
export interface UploadPlace {
  readonly repository: string;
  readonly branch: string;
  readonly folder: string;
}

/** An object that was made, and the MD5 of what was sent for it. */
export interface Uploaded {
  readonly stored: ObjectStats;
  readonly hash: string;
}

/** Uploads one file and compares the record that the server answers with what was sent (case B08). */
export async function uploadFile(context: JobContext, where: UploadPlace, item: UploadItem): Promise<Uploaded> {
  const { upload, file } = item;
  const { stored, hash } = await send(context, where, item);
  const md5 = md5OfChecksum(stored.checksum);
  if (stored.size_bytes !== upload.sizeBytes || (md5 !== undefined && md5 !== hash)) {
    const sent = `${upload.sizeBytes} bytes with the MD5 ${hash}`;
    const kept = `${stored.size_bytes} bytes with the checksum ${stored.checksum}`;
    throw new SyncError("transfer_mismatch", `of ${JSON.stringify(upload.key)} ${sent} were sent, and ${kept} stored`, [
      upload.key,
    ]);
  }
  // A small file was compared before it was sent; a large one whose checksum is opaque is compared now (case B07).
  if (md5 === undefined && file.sizeBytes > chunkSizeBytes) {
    if ((await hashProjected(where.folder, file, context.signal)) !== hash) throw changed(file.path);
  }
  return { stored, hash };
}

async function send(context: JobContext, where: UploadPlace, item: UploadItem): Promise<Uploaded> {
  const { repository, branch, folder } = where;
  const { upload, file } = item;
  const { key: path, attributes } = upload;
  const place: StagedPlace = { repository, branch, path };
  const way = await wayOf(context, repository, upload.sizeBytes);
  if (way.kind === "multipart") {
    // Parts travel side by side: nobody reads the whole in order.
    const hash = file.hash ?? (await hashProjected(folder, file, context.signal));
    return { stored: await uploadParts(context, { place, folder, attributes }, file, way), hash };
  }
  const source = bodyOf(folder, file);
  const stored =
    way.kind === "presigned"
      ? await sendPresigned(context, place, source, upload)
      : await context.client.uploadObject({ ...place, source, attributes }, { signal: context.signal });
  return { stored, hash: source.hash() };
}

/** What has no hash yet is hashed while it is sent. */
function bodyOf(folder: string, file: MarkedFile): HashingBody {
  const { hash } = file;
  const source = fileBody(folder, file);
  return hash === undefined ? hashing(source) : { ...source, hash: () => hash };
}

async function wayOf(context: JobContext, repository: string, sizeBytes: number): Promise<UploadWay> {
  const limits = context.limits ?? storageLimits;
  if (!needsAbilities(sizeBytes, limits)) return { kind: "direct" };
  return uploadWay(sizeBytes, await context.client.abilitiesOf(repository), limits);
}

/** One PUT to the storage, then the object appears on the branch. Each try gets an address of its own (case B03). */
async function sendPresigned(
  context: JobContext,
  place: StagedPlace,
  source: BodySource,
  upload: PlannedUpload,
): Promise<ObjectStats> {
  const { client, signal } = context;
  let physicalAddress = "";
  const address = async (): Promise<string> => {
    const given = await client.getPhysicalAddress(place, { signal });
    physicalAddress = given.physicalAddress;
    return given.presignedUrl;
  };
  const checksum = await client.storage.put({ subject: place.path, address }, source, { signal });
  const { sizeBytes, attributes } = upload;
  return await client.linkPhysicalAddress(place, { physicalAddress, checksum, sizeBytes, ...attributes }, { signal });
}
