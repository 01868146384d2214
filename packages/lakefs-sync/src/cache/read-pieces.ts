import { readSync } from "node:fs";
import { crc32 } from "node:zlib";
import { chunkSizeBytes } from "../folder/read-file.ts";

/**
 * Reads the first `sizeBytes` of a file in pieces of at most 256 KiB and hands each to `each`; returns their CRC-32, or
 * undefined where the file is shorter or cannot be read. `pause` is awaited between pieces, so that the thread stays
 * answerable.
 */
export async function readPieces(
  descriptor: number,
  sizeBytes: number,
  each: (piece: Buffer) => void,
  pause: () => Promise<void>,
): Promise<number | undefined> {
  const scratch = Buffer.allocUnsafe(Math.min(chunkSizeBytes, sizeBytes));
  let crc = 0;
  for (let position = 0; position < sizeBytes;) {
    if (position > 0) await pause();
    const count = readSome(descriptor, scratch, Math.min(scratch.length, sizeBytes - position), position);
    if (count === 0) return undefined;
    const piece = scratch.subarray(0, count);
    crc = crc32(piece, crc);
    each(piece);
    position += count;
  }
  return crc;
}

function readSome(descriptor: number, scratch: Buffer, sizeBytes: number, position: number): number {
  try {
    return readSync(descriptor, scratch, 0, sizeBytes, position);
  } catch {
    return 0;
  }
}
