import { createHash, hash as hashOnce } from "node:crypto";
import { closeSync, fstatSync } from "node:fs";
import { join } from "node:path";
import type { BodySource } from "../client/http.ts";
import { diskError } from "../folder/disk-error.ts";
import {
  assertUnchanged,
  changed,
  chunkSizeBytes,
  markOf,
  openForRead,
  readFully,
  type OpenFile,
} from "../folder/read-file.ts";
import { breathe } from "./bounded.ts";
import type { MarkedFile } from "./file-table.ts";

/** A part of a file. */
export interface FilePart {
  readonly position: number;
  readonly sizeBytes: number;
}

/** Opens a projected file and gives it to `read`; whatever became of the file is "changed" (rules T3, T8). */
export function openProjected(folder: string, file: MarkedFile): OpenFile {
  try {
    const open = openForRead(join(folder, file.path));
    try {
      assertUnchanged(file.path, file.mark, markOf(open.stats));
      return open;
    } catch (error) {
      closeSync(open.descriptor);
      throw error;
    }
  } catch (error) {
    throw readFailure(error, folder, file.path);
  }
}

function assertStill(file: MarkedFile, descriptor: number): void {
  assertUnchanged(file.path, file.mark, markOf(fstatSync(descriptor, { bigint: true })));
}

/** A file that is gone, or is no plain file any more, has changed. */
function readFailure(error: unknown, folder: string, path: string): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ELOOP" || code === "ENOTDIR" ? changed(path) : diskError(error, folder, path);
}

/** The whole of a small file, read at once; its content is checked before a byte of it is sent (case L20). */
function readSmall(folder: string, file: MarkedFile): Buffer {
  const open = openProjected(folder, file);
  try {
    const bytes = Buffer.allocUnsafe(file.sizeBytes);
    const count = readFully(open.descriptor, bytes, 0);
    assertStill(file, open.descriptor);
    if (count !== file.sizeBytes || hashOnce("md5", bytes, "hex") !== file.hash) throw changed(file.path);
    return bytes;
  } catch (error) {
    throw readFailure(error, folder, file.path);
  } finally {
    closeSync(open.descriptor);
  }
}

/**
 * A part of a large file in pieces of at most {@link chunkSizeBytes}, all in the same memory; it must not change while
 * it is read.
 */
async function* readPart(folder: string, file: MarkedFile, part: FilePart): AsyncGenerator<Buffer> {
  const open = openProjected(folder, file);
  try {
    const scratch = Buffer.allocUnsafeSlow(Math.min(chunkSizeBytes, part.sizeBytes));
    for (let done = 0; done < part.sizeBytes;) {
      const bytes = scratch.subarray(0, Math.min(scratch.length, part.sizeBytes - done));
      if (readFully(open.descriptor, bytes, part.position + done) !== bytes.length) throw changed(file.path);
      done += bytes.length;
      // The last piece is held back until the file is known to be as it was.
      if (done === part.sizeBytes) assertStill(file, open.descriptor);
      yield bytes;
      await breathe();
    }
  } catch (error) {
    throw readFailure(error, folder, file.path);
  } finally {
    closeSync(open.descriptor);
  }
}

/** A projected file as a body; it must be what was projected (rules T3, T8, case L20). */
export function fileBody(folder: string, file: MarkedFile): BodySource {
  const { sizeBytes } = file;
  const isSmall = sizeBytes <= chunkSizeBytes;
  return {
    sizeBytes,
    open: () => (isSmall ? readSmall(folder, file) : readPart(folder, file, { position: 0, sizeBytes })),
  };
}

/** One part of a projected file as a body. */
export function partBody(folder: string, file: MarkedFile, part: FilePart): BodySource {
  return { sizeBytes: part.sizeBytes, open: () => readPart(folder, file, part) };
}

/** A body that knows the MD5 of what it gave at its last opening. */
export interface HashingBody extends BodySource {
  readonly hash: () => string;
}

/** Hashes a body while it is sent. */
export function hashing(source: BodySource): HashingBody {
  let running = createHash("md5");
  const pass = async function* (): AsyncGenerator<Buffer> {
    const body = source.open();
    for await (const piece of Buffer.isBuffer(body) ? [body] : body) {
      running.update(piece);
      yield piece;
    }
  };
  return {
    sizeBytes: source.sizeBytes,
    open: () => {
      running = createHash("md5");
      return pass();
    },
    hash: () => running.digest("hex"),
  };
}
