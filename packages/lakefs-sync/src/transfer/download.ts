import { createHash, hash as hashOnce } from "node:crypto";
import { closeSync, ftruncateSync, openSync } from "node:fs";
import { LakefsError } from "../client/errors.ts";
import type { AnswerHead, Receiver, ReceiverSource } from "../client/receiver.ts";
import { SyncError } from "../errors.ts";
import { diskError } from "../folder/disk-error.ts";
import type { FilePlace } from "../folder/new-file.ts";
import { openFlags } from "../folder/read-file.ts";
import { writeWhole } from "../folder/write-whole.ts";
import { md5OfChecksum, type ListedObject } from "../listing/object-table.ts";
import type { JobContext } from "./context.ts";
import { needsAbilities, storageLimits } from "./upload-way.ts";

function mismatch(key: string, what: string): SyncError {
  return new SyncError("transfer_mismatch", `the object ${JSON.stringify(key)} ${what}`, [key]);
}

function wrongSize(object: ListedObject, sizeBytes: number | string): SyncError {
  return mismatch(object.key, `has ${sizeBytes} bytes where its record says ${object.sizeBytes}`);
}

/** Compares what came with the object's record: size always, MD5 where the checksum is one (rule T2, case B08). */
export function verifyBytes(object: ListedObject, sizeBytes: number, hash: string): void {
  if (sizeBytes !== object.sizeBytes) throw wrongSize(object, sizeBytes);
  const md5 = md5OfChecksum(object.checksum);
  if (md5 !== undefined && md5 !== hash) {
    throw mismatch(object.key, `has the MD5 ${hash} where its record says ${md5}`);
  }
}

/** Runs one write step; its failure is the disk's, never the connection's. */
function onDisk<T>(target: FilePlace, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw diskError(error, target.folder, target.path);
  }
}

function createFile(target: FilePlace): number {
  return onDisk(target, () => openSync(target.absolutePath, openFlags.create, 0o644));
}

/** The bytes of a small object, verified, and their MD5. */
export interface SmallContent {
  readonly bytes: Buffer;
  readonly md5: string;
}

/** A small object: collected in a buffer that holds it, and verified. */
function smallContent(object: ListedObject, buffer: Buffer): ReceiverSource<SmallContent> {
  return () => {
    let sizeBytes = 0;
    return {
      take: (piece) => {
        if (sizeBytes + piece.length > object.sizeBytes) throw wrongSize(object, "more");
        sizeBytes += piece.copy(buffer, sizeBytes);
      },
      end: () => {
        const bytes = buffer.subarray(0, sizeBytes);
        const md5 = hashOnce("md5", bytes, "hex");
        verifyBytes(object, sizeBytes, md5);
        return { bytes, md5 };
      },
    };
  };
}

/** A large object: written and hashed as it comes; a try after a cut goes on from where the last one was. */
class LargeFile {
  readonly #object: ListedObject;
  readonly #target: FilePlace;
  readonly #descriptor: number;
  #running = createHash("md5");
  #sizeBytes = 0;

  constructor(object: ListedObject, target: FilePlace) {
    this.#object = object;
    this.#target = target;
    this.#descriptor = createFile(target);
    target.sums?.clear();
  }

  readonly open: ReceiverSource<string> = () => {
    const receiver: Receiver<string> = {
      begin: (head) => this.#begin(head),
      take: (piece) => this.#take(piece),
      end: () => this.#end(),
    };
    const [firstByte, lastByte] = [this.#sizeBytes, this.#object.sizeBytes - 1];
    if (firstByte === 0 || firstByte > lastByte) return receiver;
    return { ...receiver, headers: { range: `bytes=${firstByte}-${lastByte}` } };
  };

  close(): void {
    closeSync(this.#descriptor);
  }

  /** An answer that is not the rest that was asked for is the whole object. */
  #begin(head: AnswerHead): void {
    const range = head.header("content-range") ?? "";
    if (head.status === 206 && range.startsWith(`bytes ${this.#sizeBytes}-`)) return;
    if (head.status === 206) throw mismatch(this.#object.key, "came as another range than was asked for");
    this.#running = createHash("md5");
    this.#target.sums?.clear();
    this.#sizeBytes = 0;
    onDisk(this.#target, () => ftruncateSync(this.#descriptor, 0));
  }

  #take(piece: Buffer): void {
    if (this.#sizeBytes + piece.length > this.#object.sizeBytes) throw wrongSize(this.#object, "more");
    this.#running.update(piece);
    this.#target.sums?.add(piece);
    onDisk(this.#target, () => writeWhole(this.#descriptor, piece, this.#sizeBytes));
    this.#sizeBytes += piece.length;
  }

  #end(): string {
    const hash = this.#running.digest("hex");
    verifyBytes(this.#object, this.#sizeBytes, hash);
    return hash;
  }
}

/** Turns "the data was collected" into the terminal error that names key and commit (rule I5, case G02). */
function inputFailure(error: unknown, key: string, commitId: string): unknown {
  if (!(error instanceof LakefsError) || error.code !== "gone") return error;
  const message = `the data of ${JSON.stringify(key)} at commit ${commitId} is gone (garbage collection)`;
  return new SyncError("input_data_gone", message, [key]);
}

/** Reads a small object into a buffer that holds it, verified; what is given lies in that buffer. */
export async function downloadSmall(
  context: JobContext,
  where: { readonly repository: string; readonly commitId: string },
  object: ListedObject,
  buffer: Buffer,
): Promise<SmallContent> {
  return await readObject(context, where, object, smallContent(object, buffer));
}

/** Brings a large object to a new file, verified; returns the MD5 of its bytes. */
export async function downloadLarge(
  context: JobContext,
  where: { readonly repository: string; readonly commitId: string },
  object: ListedObject,
  place: FilePlace,
): Promise<string> {
  const file = new LargeFile(object, place);
  return await readObject(context, where, object, file.open).finally(() => file.close());
}

function ignore(): void {}

/**
 * Asks the server for one byte of an object that came from the cache: that its data is gone (case G02), or is not to be
 * read any more, is noticed all the same.
 */
export async function assertReadable(
  context: JobContext,
  where: { readonly repository: string; readonly commitId: string },
  object: ListedObject,
): Promise<void> {
  const range = { firstByte: 0, lastByte: 0 };
  const place = { repository: where.repository, ref: where.commitId, path: object.key, range };
  try {
    await context.client.getObject(place, { signal: context.signal }, () => ({ take: ignore, end: ignore }));
  } catch (error) {
    // An empty object has no first byte.
    if (error instanceof LakefsError && error.code === "range") return;
    throw inputFailure(error, object.key, where.commitId);
  }
}

/** Reads an object to its end for its MD5 alone; nothing is kept. */
export async function hashObject(
  context: JobContext,
  where: { readonly repository: string; readonly commitId: string },
  object: ListedObject,
): Promise<string> {
  return await readObject(context, where, object, () => {
    const running = createHash("md5");
    return { take: (piece) => void running.update(piece), end: () => running.digest("hex") };
  });
}

/** Reads from the storage where it gives addresses and the object is worth the second request, else through lakeFS. */
async function readObject<T>(
  context: JobContext,
  where: { readonly repository: string; readonly commitId: string },
  object: ListedObject,
  open: ReceiverSource<T>,
): Promise<T> {
  const { client, signal } = context;
  const { repository, commitId: ref } = where;
  const place = { repository, ref, path: object.key };
  const limits = context.limits ?? storageLimits;
  try {
    const isPresigned = needsAbilities(object.sizeBytes, limits) && (await client.abilitiesOf(repository)).presign;
    if (!isPresigned) return await client.getObject(place, { signal }, open);
    const address = (): Promise<string> => client.presignedReadAddress(place, { signal });
    return await client.storage.get({ subject: object.key, address }, { signal }, open);
  } catch (error) {
    throw inputFailure(error, object.key, ref);
  }
}
