import { createHash, hash as hashOnce } from "node:crypto";
import { closeSync, constants, openSync, rmSync, writeSync } from "node:fs";
import type { Answer } from "../client/http.ts";
import { LakefsError } from "../client/errors.ts";
import { SyncError } from "../errors.ts";
import { diskError } from "../folder/disk-error.ts";
import { chunkSizeBytes } from "../folder/read-file.ts";
import { md5OfChecksum, type ListedObject } from "../listing/object-table.ts";
import type { JobContext } from "./context.ts";

const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Where the bytes of an object go. */
export interface DownloadTarget {
  readonly folder: string;
  readonly absolutePath: string;
  readonly path: string;
}

function mismatch(key: string, what: string): SyncError {
  return new SyncError("transfer_mismatch", `the object ${JSON.stringify(key)} ${what}`, [key]);
}

/** Compares what came with the object's record: size always, MD5 where the checksum is one (rule T2, case B08). */
export function verifyBytes(object: ListedObject, sizeBytes: number, hash: string): void {
  if (sizeBytes !== object.sizeBytes) {
    throw mismatch(object.key, `has ${sizeBytes} bytes where its record says ${object.sizeBytes}`);
  }
  const md5 = md5OfChecksum(object.checksum);
  if (md5 !== undefined && md5 !== hash) throw mismatch(object.key, `has the MD5 ${hash} where its record says ${md5}`);
}

async function collectSmall(answer: Answer, object: ListedObject): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of answer.chunks) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > object.sizeBytes) break;
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

function writeWhole(descriptor: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
}

/** Runs one write step; its failure is the disk's, never the connection's. */
function onDisk<T>(target: DownloadTarget, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw diskError(error, target.folder, target.path);
  }
}

function createFile(target: DownloadTarget, tryNumber: number): number {
  // Only a file that an earlier try of this very download made may be replaced.
  if (tryNumber > 1) onDisk(target, () => rmSync(target.absolutePath, { force: true }));
  return onDisk(target, () => openSync(target.absolutePath, createFlags, 0o644));
}

async function receive(
  answer: Answer,
  object: ListedObject,
  target: DownloadTarget,
  tryNumber: number,
): Promise<string> {
  if (object.sizeBytes <= chunkSizeBytes) {
    const bytes = await collectSmall(answer, object);
    const hash = hashOnce("md5", bytes, "hex");
    verifyBytes(object, bytes.length, hash);
    const descriptor = createFile(target, tryNumber);
    try {
      onDisk(target, () => writeWhole(descriptor, bytes));
    } finally {
      closeSync(descriptor);
    }
    return hash;
  }
  const descriptor = createFile(target, tryNumber);
  try {
    const running = createHash("md5");
    let sizeBytes = 0;
    for await (const chunk of answer.chunks) {
      sizeBytes += chunk.length;
      if (sizeBytes > object.sizeBytes) break;
      running.update(chunk);
      onDisk(target, () => writeWhole(descriptor, chunk));
    }
    const hash = running.digest("hex");
    verifyBytes(object, sizeBytes, hash);
    return hash;
  } finally {
    closeSync(descriptor);
  }
}

/** Turns "the data was collected" into the terminal error that names key and commit (rule I5, case G02). */
function inputFailure(error: unknown, key: string, commitId: string): unknown {
  if (!(error instanceof LakefsError) || error.code !== "gone") return error;
  const message = `the data of ${JSON.stringify(key)} at commit ${commitId} is gone (garbage collection)`;
  return new SyncError("input_data_gone", message, [key]);
}

/** Brings one object to one new file, verified; returns the MD5 of its bytes. */
export async function downloadObject(
  context: JobContext,
  where: { readonly repository: string; readonly commitId: string },
  object: ListedObject,
  target: DownloadTarget,
): Promise<string> {
  let tryNumber = 0;
  try {
    const place = { repository: where.repository, ref: where.commitId, path: object.key };
    return await context.client.getObject(place, { signal: context.signal }, (answer) => {
      tryNumber += 1;
      return receive(answer, object, target, tryNumber);
    });
  } catch (error) {
    throw inputFailure(error, object.key, where.commitId);
  }
}

/** Reads an object to its end for its MD5 alone; nothing is kept. */
export async function hashObject(
  context: JobContext,
  where: { readonly repository: string; readonly commitId: string },
  object: ListedObject,
): Promise<string> {
  const place = { repository: where.repository, ref: where.commitId, path: object.key };
  return await context.client.getObject(place, { signal: context.signal }, async (answer) => {
    const running = createHash("md5");
    for await (const chunk of answer.chunks) running.update(chunk);
    return running.digest("hex");
  });
}
