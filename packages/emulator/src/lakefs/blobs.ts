import { createHash, randomBytes, randomUUID } from "node:crypto";
import { closeSync, createReadStream, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";

const ADDRESS_BYTES = 8;

/** Bytes that were kept. */
export interface Blob {
  /** SHA-256 in hex; the file's name. */
  readonly sha256: string;
  /** MD5 in hex, lakeFS' checksum. */
  readonly md5: string;
  readonly sizeBytes: number;
}

/** A new address for kept bytes, relative to a storage namespace: each upload has its own. */
export function newAddress(sha256: string): string {
  return `data/${randomBytes(ADDRESS_BYTES).toString("hex")}/${sha256}`;
}

/** The bytes' name in an address; undefined where the address is not one of uploaded bytes. */
export function sha256Of(address: string): string | undefined {
  return /^data\/[0-9a-f]+\/([0-9a-f]{64})$/.exec(address)?.[1];
}

/** Files named by the SHA-256 of what they hold. A file is there whole or not at all. */
export interface Blobs {
  /** Keeps a stream's bytes. When this resolves they outlive the process. */
  write(content: AsyncIterable<Uint8Array>): Promise<Blob>;
  /** Is this file there? */
  has(sha256: string): boolean;
  /** All bytes; undefined where the file is gone. */
  read(sha256: string): Buffer | undefined;
  /** The bytes from `start` to `end`, both included. */
  stream(sha256: string, start: number, end: number): ReadableStream;
}

/** Opens the folder of files. Uploads that a dead process left behind are removed. */
export function openBlobs(folder: string, durable: boolean): Blobs {
  const incoming = join(folder, "incoming");
  rmSync(incoming, { recursive: true, force: true });
  mkdirSync(incoming, { recursive: true });
  const pathOf = (sha256: string): string => join(folder, sha256.slice(0, 2), sha256);
  return {
    async write(content) {
      const temporary = join(incoming, randomUUID());
      try {
        const blob = await receive(temporary, content, durable);
        await place(folder, temporary, blob.sha256, durable);
        return blob;
      } finally {
        await rm(temporary, { force: true });
      }
    },
    has: (sha256) => existsSync(pathOf(sha256)),
    read(sha256) {
      return existsSync(pathOf(sha256)) ? readFileSync(pathOf(sha256)) : undefined;
    },
    stream: (sha256, start, end) => Readable.toWeb(createReadStream(pathOf(sha256), { start, end })),
  };
}

async function receive(path: string, content: AsyncIterable<Uint8Array>, durable: boolean): Promise<Blob> {
  const sha256 = createHash("sha256");
  const md5 = createHash("md5");
  let sizeBytes = 0;
  const file = await open(path, "wx");
  try {
    for await (const chunk of content) {
      sha256.update(chunk);
      md5.update(chunk);
      sizeBytes += chunk.byteLength;
      await file.writeFile(chunk);
    }
    if (durable) await file.sync();
  } finally {
    await file.close();
  }
  return { sha256: sha256.digest("hex"), md5: md5.digest("hex"), sizeBytes };
}

async function place(folder: string, temporary: string, sha256: string, durable: boolean): Promise<void> {
  const parent = join(folder, sha256.slice(0, 2));
  const made = mkdirSync(parent, { recursive: true });
  await rename(temporary, join(parent, sha256));
  if (!durable) return;
  syncFolder(parent);
  if (made !== undefined) syncFolder(folder);
}

/** A rename outlives a power failure only once its folder is on disk. */
function syncFolder(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
