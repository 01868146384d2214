/** Rows of one piece of a column: pieces are added and never copied, so that growing costs no second copy. */
const rowsPerPiece = 1024;

type Numbers = Uint8Array | Uint32Array | Int32Array | Float64Array;

/** A growing list of numbers outside of the JavaScript heap; what was never set is 0. */
export class NumberColumn {
  readonly #newPiece: () => Numbers;
  readonly #pieces: Numbers[] = [];

  constructor(kind: new (length: number) => Numbers) {
    this.#newPiece = () => new kind(rowsPerPiece);
  }

  get(row: number): number {
    return this.#pieces[Math.floor(row / rowsPerPiece)]?.[row % rowsPerPiece] ?? 0;
  }

  set(row: number, value: number): void {
    const number = Math.floor(row / rowsPerPiece);
    while (this.#pieces.length <= number) this.#pieces.push(this.#newPiece());
    const piece = this.#pieces[number];
    if (piece !== undefined) piece[row % rowsPerPiece] = value;
  }
}

/** A known MD5 takes 16 bytes after a byte that says so. */
const hashWidthBytes = 17;

/** A growing list of MD5s, in lower-case hex where they are known. */
export class HashColumn {
  readonly #pieces: Buffer[] = [];

  get(row: number): string | undefined {
    const piece = this.#pieces[Math.floor(row / rowsPerPiece)];
    const start = (row % rowsPerPiece) * hashWidthBytes;
    return piece === undefined || piece[start] === 0
      ? undefined
      : piece.toString("hex", start + 1, start + hashWidthBytes);
  }

  set(row: number, hash: string): void {
    const number = Math.floor(row / rowsPerPiece);
    while (this.#pieces.length <= number) this.#pieces.push(Buffer.alloc(rowsPerPiece * hashWidthBytes));
    const start = (row % rowsPerPiece) * hashWidthBytes;
    const piece = this.#pieces[number];
    if (piece === undefined) return;
    if (piece.write(hash, start + 1, "hex") !== hashWidthBytes - 1) throw new Error("a hash of another length");
    piece[start] = 1;
  }
}
