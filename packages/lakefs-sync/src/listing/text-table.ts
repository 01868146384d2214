import { NumberColumn } from "./columns.ts";

const blockSizeBytes = 64 * 1024;
const lengthSizeBytes = 2;
/** Longest text of a {@link TextTable}. */
export const maxTextSizeBytes = blockSizeBytes - lengthSizeBytes;

/** Differs from process to process, so that nobody can prepare names that all meet in one slot. */
const seed = Math.floor(Math.random() * 2 ** 32);

function hashOf(text: string): number {
  let hash = seed;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x5bd1e995);
    hash ^= hash >>> 15;
  }
  return hash >>> 0;
}

/**
 * A growing list of well-formed texts that finds a text's row. Texts are kept as UTF-8 outside of the JavaScript heap:
 * about 25 bytes a text beside its own, where a Map of strings needs four times as much.
 */
export class TextTable {
  readonly #blocks: Buffer[] = [];
  #usedBytes = blockSizeBytes;
  readonly #starts = new NumberColumn(Uint32Array);
  readonly #hashes = new NumberColumn(Uint32Array);
  /** Open addressing, at most half full: row + 1, or 0. */
  #slots = new Int32Array(16);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Appends; the caller has looked whether the text is there. */
  add(text: string): number {
    const sizeBytes = Buffer.byteLength(text);
    if (sizeBytes > maxTextSizeBytes) throw new RangeError(`a text of over ${maxTextSizeBytes} bytes`);
    if (this.#usedBytes + lengthSizeBytes + sizeBytes > blockSizeBytes) {
      this.#blocks.push(Buffer.allocUnsafeSlow(blockSizeBytes));
      this.#usedBytes = 0;
    }
    const block = this.#blocks.at(-1);
    if (block === undefined) throw new Error("a table without a block");
    const row = this.#count;
    this.#starts.set(row, (this.#blocks.length - 1) * blockSizeBytes + this.#usedBytes);
    block.writeUInt16LE(sizeBytes, this.#usedBytes);
    block.write(text, this.#usedBytes + lengthSizeBytes);
    this.#usedBytes += lengthSizeBytes + sizeBytes;
    this.#hashes.set(row, hashOf(text));
    this.#count += 1;
    if (this.#count * 2 > this.#slots.length) this.#rebuild();
    else this.#place(row);
    return row;
  }

  get(row: number): string {
    const start = this.#starts.get(row);
    const block = this.#blocks[Math.floor(start / blockSizeBytes)];
    if (block === undefined || row >= this.#count) throw new RangeError(`no row ${row}`);
    const offset = start % blockSizeBytes;
    const first = offset + lengthSizeBytes;
    return block.toString("utf8", first, first + block.readUInt16LE(offset));
  }

  /** The row of a text, the first one where it was added twice. */
  find(text: string): number | undefined {
    const hash = hashOf(text);
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const row = (this.#slots[slot] ?? 0) - 1;
      if (row < 0) return undefined;
      if (this.#hashes.get(row) === hash && this.get(row) === text) return row;
    }
  }

  #place(row: number): void {
    const mask = this.#slots.length - 1;
    let slot = this.#hashes.get(row) & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = row + 1;
  }

  #rebuild(): void {
    this.#slots = new Int32Array(this.#slots.length * 4);
    for (let row = 0; row < this.#count; row += 1) this.#place(row);
  }
}
