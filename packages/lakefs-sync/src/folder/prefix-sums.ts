import { crc32 } from "node:zlib";
import { NumberColumn } from "../listing/columns.ts";
import { readFully } from "./read-file.ts";

/** From this size on a file's sums are kept, and it is hashed while it is sent where it is known to have changed. */
export const lateHashFromSizeBytes = 4 * 1024 * 1024;

const stepSizeBytes = 1024 * 1024;

/**
 * CRC-32s of a file's beginnings, one a MiB. Where one differs the file is another, and the rest of it need not be
 * read; where all agree nothing is said, for CRC-32 finds damage and no malice.
 */
export class PrefixSums {
  readonly #sums = new NumberColumn(Uint32Array);
  #crc = 0;
  #sizeBytes = 0;

  /** Takes the next bytes, in pieces of any size. */
  add(piece: Buffer): void {
    for (let done = 0; done < piece.length;) {
      const part = piece.subarray(done, done + stepSizeBytes - (this.#sizeBytes % stepSizeBytes));
      this.#crc = crc32(part, this.#crc);
      this.#sizeBytes += part.length;
      done += part.length;
      if (this.#sizeBytes % stepSizeBytes === 0) this.#sums.set(this.#sizeBytes / stepSizeBytes - 1, this.#crc);
    }
  }

  /** Begins anew. */
  clear(): void {
    this.#crc = 0;
    this.#sizeBytes = 0;
  }

  /**
   * Whether a file is known to hold other bytes than those that were added, by as much of it as that takes. `pause` is
   * awaited between pieces, so that the thread stays answerable.
   */
  async differFrom(descriptor: number, scratch: Buffer, pause: () => Promise<void>): Promise<boolean> {
    let crc = 0;
    for (let position = 0; position < this.#sizeBytes;) {
      const borderAt = Math.min(this.#sizeBytes, position - (position % stepSizeBytes) + stepSizeBytes);
      const piece = scratch.subarray(0, Math.min(scratch.length, borderAt - position));
      if (readFully(descriptor, piece, position) < piece.length) return true;
      crc = crc32(piece, crc);
      position += piece.length;
      if (position === borderAt && crc !== this.#sumAt(position)) return true;
      await pause();
    }
    return false;
  }

  #sumAt(position: number): number {
    return position === this.#sizeBytes ? this.#crc : this.#sums.get(position / stepSizeBytes - 1);
  }
}
