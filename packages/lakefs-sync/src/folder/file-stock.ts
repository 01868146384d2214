import { randomUUID } from "node:crypto";
import { closeSync, fstatSync, lstatSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openFlags } from "./read-file.ts";

/** Files in a stock where nothing else is said: what a task of usual size brings in. */
const defaultFileCount = 1024;

/** When a stock may be filled. */
export interface StockSurroundings {
  /** Lets waiting messages in; awaited after each file. */
  readonly pause: () => Promise<void>;
  /** Whether there is nothing better to do. */
  readonly isIdle: () => boolean;
  /** Files that are kept. Default 1,024. */
  readonly fileCount?: number;
}

/**
 * Empty files that were made before they are needed: to give one its place is a rename, which costs a tenth of a new
 * file on a disk that is slow at names. A stock that is empty, on another disk or in somebody's way is a stock without
 * files. Hosts may share its folder: a name that another has taken is one less.
 */
export class FileStock {
  readonly #folder: string;
  readonly #surroundings: StockSurroundings;
  readonly #fileCount: number;
  #names: string[] = [];
  #isUsable = true;
  #isRefilling = false;

  /** The folder is there, and this user's alone. */
  constructor(folder: string, surroundings: StockSurroundings) {
    this.#folder = folder;
    this.#surroundings = surroundings;
    this.#fileCount = surroundings.fileCount ?? defaultFileCount;
  }

  /** Puts a file where nothing is yet and opens it for writing; undefined where there is none to be had. */
  take(path: string): number | undefined {
    const name = this.#names.pop();
    // A rename would replace what is there: that is an error, which making a file tells.
    if (name === undefined || lstatSync(path, { throwIfNoEntry: false }) !== undefined) return undefined;
    try {
      renameSync(join(this.#folder, name), path);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "EXDEV") this.#giveUp();
      return undefined;
    }
    return openBlank(path);
  }

  /** Makes the files that are missing, for as long as there is nothing better to do. Never throws. */
  async refill(): Promise<void> {
    const { pause, isIdle } = this.#surroundings;
    if (this.#isRefilling || !this.#isUsable || this.#names.length >= this.#fileCount || !isIdle()) return;
    this.#isRefilling = true;
    try {
      this.#names = readdirSync(this.#folder);
      while (this.#names.length < this.#fileCount && isIdle()) {
        const name = randomUUID();
        closeSync(openSync(join(this.#folder, name), openFlags.create, 0o644));
        this.#names.push(name);
        await pause();
      }
    } catch {
      // A disk that takes no more: files are made when they are needed, or fail there.
    } finally {
      this.#isRefilling = false;
    }
  }

  #giveUp(): void {
    this.#isUsable = false;
    for (const name of this.#names) rmSync(join(this.#folder, name), { force: true });
    this.#names = [];
  }
}

/** Opens a file that came from a stock; what is no empty file with one name is removed. */
function openBlank(path: string): number | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, openFlags.change);
    const stats = fstatSync(descriptor);
    if (stats.isFile() && stats.size === 0 && stats.nlink === 1) return descriptor;
  } catch {
    // A link, a folder: whatever it is, it goes.
  }
  if (descriptor !== undefined) closeSync(descriptor);
  rmSync(path, { recursive: true, force: true });
  return undefined;
}
