import { createHash } from "node:crypto";
import type { LakefsClient } from "@perago/lakefs-sync";

/** A branch of a repository, under whose `data/` files are put. */
export interface TreePlace {
  readonly client: LakefsClient;
  readonly repository: string;
  readonly branch: string;
}

/** So many files of such a size; contents differ by file and by seed. */
export interface TreeShape {
  readonly fileCount: number;
  readonly sizeBytes: number;
  readonly seed: string;
}

const PARALLEL_UPLOADS = 16;
const CHUNK_BYTES = 256 * 1024;
const FILES_PER_FOLDER = 100;

/** The path below `data/` of a file by its number: a hundred files in a folder. */
export function treePath(index: number): string {
  const folder = String(Math.floor(index / FILES_PER_FOLDER)).padStart(4, "0");
  return `${folder}/file-${String(index % FILES_PER_FOLDER).padStart(2, "0")}.bin`;
}

/** Uploads a tree and commits it; returns the commit id. */
export async function commitTree({ client, repository, branch }: TreePlace, shape: TreeShape): Promise<string> {
  const indices = Array.from({ length: shape.fileCount }, (_, index) => index).values();
  const attributes = { contentType: "application/octet-stream", metadata: {} };
  const uploaders = Array.from({ length: PARALLEL_UPLOADS }, async () => {
    for (const index of indices) {
      const source = { sizeBytes: shape.sizeBytes, open: () => content(`${shape.seed}/${index}`, shape.sizeBytes) };
      await client.uploadObject({ repository, branch, path: `data/${treePath(index)}`, source, attributes });
    }
  });
  await Promise.all(uploaders);
  const commit = await client.commit(repository, branch, { message: "bench input" }, { timeoutMs: 300_000 });
  return commit.id;
}

/** Bytes that do not compress and that differ by name; the same each time. */
export function content(name: string, sizeBytes: number): Buffer | AsyncGenerator<Buffer> {
  const block = expand(name, Math.min(sizeBytes, CHUNK_BYTES));
  return sizeBytes <= CHUNK_BYTES ? block : repeated(block, sizeBytes);
}

/** A large file: one block over and over, with its number in front, so that no two parts are equal. */
async function* repeated(block: Buffer, sizeBytes: number): AsyncGenerator<Buffer> {
  for (let offset = 0; offset < sizeBytes; offset += block.length) {
    const part = Buffer.from(block.subarray(0, Math.min(block.length, sizeBytes - offset)));
    if (part.length >= 8) part.writeBigUInt64LE(BigInt(offset));
    yield part;
  }
}

function expand(name: string, sizeBytes: number): Buffer {
  return createHash("shake256", { outputLength: Math.max(1, sizeBytes) })
    .update(name)
    .digest()
    .subarray(0, sizeBytes);
}
