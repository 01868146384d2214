import type { FileMark } from "../folder/read-file.ts";

const fieldCount = 4;

/**
 * What the disk said of every file of a snapshot once it stood in its final place: inode, size, mtime, ctime, in 32
 * bytes a file (rule T5). Rows are those of the snapshot's objects.
 */
export class StatRecords {
  readonly #fields: BigUint64Array;
  #latestCtimeNs = 0n;

  constructor(fileCount: number) {
    this.#fields = new BigUint64Array(fileCount * fieldCount);
  }

  set(row: number, mark: FileMark): void {
    const { inode, sizeBytes, mtimeNs, ctimeNs } = mark;
    this.#fields.set([inode, BigInt(sizeBytes), mtimeNs, ctimeNs], row * fieldCount);
    if (ctimeNs > this.#latestCtimeNs) this.#latestCtimeNs = ctimeNs;
  }

  get(row: number): FileMark {
    const [inode = 0n, sizeBytes = 0n, mtimeNs = 0n, ctimeNs = 0n] = this.#fields.subarray(row * fieldCount);
    return { inode, sizeBytes: Number(sizeBytes), mtimeNs, ctimeNs };
  }

  /** Whether all four are what they were. A time before 1970 equals nothing, which only costs a hash. */
  equals(row: number, mark: FileMark): boolean {
    const start = row * fieldCount;
    return (
      this.#fields[start] === mark.inode &&
      this.#fields[start + 1] === BigInt(mark.sizeBytes) &&
      this.#fields[start + 2] === mark.mtimeNs &&
      this.#fields[start + 3] === mark.ctimeNs
    );
  }

  /** The latest ctime of all files; 0 where there is none. */
  get latestCtimeNs(): bigint {
    return this.#latestCtimeNs;
  }
}
