import { closeSync, fstatSync, open } from "node:fs";
import { diskError } from "./disk-error.ts";
import type { FileStock } from "./file-stock.ts";
import type { PrefixSums } from "./prefix-sums.ts";
import { markOf, openFlags, type FileMark } from "./read-file.ts";
import { writeWhole } from "./write-whole.ts";

/** Where the bytes of an object go. */
export interface FilePlace {
  readonly folder: string;
  readonly absolutePath: string;
  readonly path: string;
  /** Of a large file: takes the bytes as they come. */
  readonly sums?: PrefixSums | undefined;
}

/**
 * A new file for a small object. It comes from a stock, or is made in the thread pool while its bytes are on their way:
 * a disk may take longer for its name than for its bytes (ext4 without a journal looks at every file that was removed
 * in the last minutes). What goes wrong on the disk is said where the file is used.
 */
export class NewFile {
  readonly #place: FilePlace;
  readonly #opened: Promise<number>;

  constructor(place: FilePlace, stock?: FileStock) {
    this.#place = place;
    const taken = stock?.take(place.absolutePath);
    this.#opened = taken === undefined ? create(place.absolutePath) : Promise.resolve(taken);
    this.#opened.catch(ignore);
  }

  /** Writes all of its bytes and gives the mark it then has. Called again, it writes over what is there. */
  async write(bytes: Buffer): Promise<FileMark> {
    try {
      const descriptor = await this.#opened;
      writeWhole(descriptor, bytes, 0);
      return markOf(fstatSync(descriptor, { bigint: true }));
    } catch (error) {
      throw diskError(error, this.#place.folder, this.#place.path);
    }
  }

  /** Closes it, once it is made; never throws. */
  async close(): Promise<void> {
    await this.#opened.then(closeSync, ignore);
  }
}

function create(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    open(path, openFlags.create, 0o644, (error, descriptor) => {
      if (error === null) resolve(descriptor);
      else reject(error);
    });
  });
}

function ignore(): void {}
