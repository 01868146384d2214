/** Rows of one piece of a column: pieces come when they are needed and are never copied. */
const rowsPerPiece = 1024;

type Numbers = Uint8Array | Uint32Array | Int32Array | Float64Array;

/** A growing list of numbers outside of the JavaScript heap; what was never set is 0. */
export class NumberColumn {
  readonly #newPiece: () => Numbers;
  readonly #pieces: (Numbers | undefined)[] = [];

  constructor(kind: new (length: number) => Numbers) {
    this.#newPiece = () => new kind(rowsPerPiece);
  }

  get(row: number): number {
    return this.#pieces[Math.floor(row / rowsPerPiece)]?.[row % rowsPerPiece] ?? 0;
  }

  set(row: number, value: number): void {
    const number = Math.floor(row / rowsPerPiece);
    const piece = (this.#pieces[number] ??= this.#newPiece());
    piece[row % rowsPerPiece] = value;
  }
}

/** A growing list of hashes of one length, in lower-case hex where they are known. */
export class HashColumn {
  /** A known hash stands after a byte that says so. */
  readonly #widthBytes: number;
  readonly #pieces: (Buffer | undefined)[] = [];

  constructor(hashSizeBytes: number) {
    this.#widthBytes = hashSizeBytes + 1;
  }

  get(row: number): string | undefined {
    const piece = this.#pieces[Math.floor(row / rowsPerPiece)];
    const start = (row % rowsPerPiece) * this.#widthBytes;
    return piece === undefined || piece[start] === 0
      ? undefined
      : piece.toString("hex", start + 1, start + this.#widthBytes);
  }

  set(row: number, hash: string): void {
    const number = Math.floor(row / rowsPerPiece);
    const piece = (this.#pieces[number] ??= Buffer.alloc(rowsPerPiece * this.#widthBytes));
    const start = (row % rowsPerPiece) * this.#widthBytes;
    if (piece.write(hash, start + 1, "hex") !== this.#widthBytes - 1) throw new Error("a hash of another length");
    piece[start] = 1;
  }
}

/** A growing list of 64-bit words; what was never set is 0. */
export class WordColumn {
  readonly #pieces: (BigInt64Array | undefined)[] = [];

  get(row: number): bigint {
    return this.#pieces[Math.floor(row / rowsPerPiece)]?.[row % rowsPerPiece] ?? 0n;
  }

  set(row: number, value: bigint): void {
    const number = Math.floor(row / rowsPerPiece);
    const piece = (this.#pieces[number] ??= new BigInt64Array(rowsPerPiece));
    piece[row % rowsPerPiece] = value;
  }
}
