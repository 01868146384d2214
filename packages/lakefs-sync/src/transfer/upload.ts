import { createHash, hash as hashOnce } from "node:crypto";
import { closeSync, fstatSync } from "node:fs";
import { join } from "node:path";
import type { BodySource } from "../client/http.ts";
import type { ObjectStats } from "../client/types.ts";
import { SyncError } from "../errors.ts";
import { diskError } from "../folder/disk-error.ts";
import { assertUnchanged, changed, chunkSizeBytes, markOf, openForRead, readFully } from "../folder/read-file.ts";
import { md5OfChecksum } from "../listing/object-table.ts";
import type { PlannedUpload } from "../plan/plan.ts";
import { breathe } from "./bounded.ts";
import type { JobContext } from "./context.ts";
import type { MarkedFile } from "./project.ts";

/** A file with its plan and the state in which it was projected. */
export interface UploadItem {
  readonly upload: PlannedUpload;
  readonly file: MarkedFile;
}

/** Reads the projected file as a body; it must be byte for byte what was projected (rules T3, T8, case L20). */
function bodyOf(folder: string, item: UploadItem): BodySource {
  const { file } = item;
  const absolutePath = join(folder, file.path);
  const small = (): Buffer => {
    const open = openForRead(absolutePath);
    try {
      assertUnchanged(file.path, file.mark, markOf(open.stats));
      const bytes = Buffer.allocUnsafe(file.sizeBytes);
      const count = readFully(open.descriptor, bytes, 0);
      assertUnchanged(file.path, file.mark, markOf(fstatSync(open.descriptor, { bigint: true })));
      if (count !== file.sizeBytes || hashOnce("md5", bytes, "hex") !== file.hash) throw changed(file.path);
      return bytes;
    } finally {
      closeSync(open.descriptor);
    }
  };
  const large = async function* (): AsyncGenerator<Buffer> {
    const open = openForRead(absolutePath);
    try {
      assertUnchanged(file.path, file.mark, markOf(open.stats));
      const running = createHash("md5");
      for (let position = 0; position < file.sizeBytes;) {
        const bytes = Buffer.allocUnsafe(Math.min(chunkSizeBytes, file.sizeBytes - position));
        if (readFully(open.descriptor, bytes, position) !== bytes.length) throw changed(file.path);
        running.update(bytes);
        position += bytes.length;
        if (position === file.sizeBytes) {
          // The last piece is held back until the whole is known to be right: a changed file is never stored.
          assertUnchanged(file.path, file.mark, markOf(fstatSync(open.descriptor, { bigint: true })));
          if (running.digest("hex") !== file.hash) throw changed(file.path);
        }
        yield bytes;
        await breathe();
      }
    } finally {
      closeSync(open.descriptor);
    }
  };
  const guarded = async function* (): AsyncGenerator<Buffer> {
    try {
      yield* large();
    } catch (error) {
      throw readFailure(error, folder, file.path);
    }
  };
  return {
    sizeBytes: file.sizeBytes,
    open: () => {
      if (file.sizeBytes > chunkSizeBytes) return guarded();
      try {
        return small();
      } catch (error) {
        throw readFailure(error, folder, file.path);
      }
    },
  };
}

/** A file that is gone, or is no plain file any more, has changed. */
function readFailure(error: unknown, folder: string, path: string): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ELOOP" || code === "ENOTDIR" ? changed(path) : diskError(error, folder, path);
}

/** Uploads one file and compares the record that the server answers with what was sent (case B08). */
export async function uploadFile(
  context: JobContext,
  where: { readonly repository: string; readonly branch: string; readonly folder: string },
  item: UploadItem,
): Promise<ObjectStats> {
  const { upload } = item;
  const { repository, branch } = where;
  const source = bodyOf(where.folder, item);
  const request = { repository, branch, path: upload.key, source, attributes: upload.attributes };
  const stored = await context.client.uploadObject(request, { signal: context.signal });
  const md5 = md5OfChecksum(stored.checksum);
  if (stored.size_bytes !== upload.sizeBytes || (md5 !== undefined && md5 !== upload.hash)) {
    const sent = `${upload.sizeBytes} bytes with the MD5 ${upload.hash}`;
    const kept = `${stored.size_bytes} bytes with the checksum ${stored.checksum}`;
    throw new SyncError("transfer_mismatch", `of ${JSON.stringify(upload.key)} ${sent} were sent, and ${kept} stored`, [
      upload.key,
    ]);
  }
  return stored;
}
