import type { FileMark } from "../folder/read-file.ts";
import { HashColumn, NumberColumn, WordColumn } from "../listing/columns.ts";
import { md5SizeBytes, type ObjectTable } from "../listing/object-table.ts";
import { TextTable } from "../listing/text-table.ts";
import type { DigestedFile } from "../plan/digest.ts";
import type { ProjectedFile } from "../plan/plan.ts";

/** A file of the folder with the state in which it was hashed. */
export interface MarkedFile extends ProjectedFile {
  readonly mark: FileMark;
}

/**
 * The files of one projection, by row, outside of the JavaScript heap. What a file shares with the object that it came
 * from is kept once: about 45 bytes a file, and its path and hash only where they are new.
 */
export class FileTable {
  readonly #objects: ObjectTable;
  /** Object of a row + 1, or 0; and the other way round. */
  readonly #objectRows = new NumberColumn(Uint32Array);
  readonly #rowsOfObjects = new NumberColumn(Uint32Array);
  /** Paths that are no object's; row of each, and its number by row. */
  readonly #newPaths = new TextTable();
  readonly #rowsOfNew = new NumberColumn(Uint32Array);
  readonly #newNumbers = new NumberColumn(Uint32Array);
  readonly #newHashes = new HashColumn(md5SizeBytes);
  /** Rows whose hash is not known yet. */
  readonly #unhashed = new Set<number>();
  readonly #sizes = new NumberColumn(Float64Array);
  readonly #inodes = new WordColumn();
  readonly #mtimes = new WordColumn();
  readonly #ctimes = new WordColumn();
  #count = 0;
  #sizeBytes = 0;

  constructor(objects: ObjectTable) {
    this.#objects = objects;
  }

  get count(): number {
    return this.#count;
  }

  /** Of all files. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  add({ path, sizeBytes, hash, mark }: MarkedFile): void {
    const row = this.#count;
    const object = this.#objectOf(path);
    if (object === undefined) {
      const number = this.#newPaths.add(path);
      this.#rowsOfNew.set(number, row);
      this.#newNumbers.set(row, number);
    } else {
      this.#objectRows.set(row, object + 1);
      this.#rowsOfObjects.set(object, row + 1);
    }
    if (hash === undefined) this.#unhashed.add(row);
    else if (object === undefined || this.#objects.hash(object) !== hash) this.#newHashes.set(row, hash);
    this.#sizes.set(row, sizeBytes);
    this.#inodes.set(row, mark.inode);
    this.#mtimes.set(row, mark.mtimeNs);
    this.#ctimes.set(row, mark.ctimeNs);
    this.#count += 1;
    this.#sizeBytes += sizeBytes;
  }

  /** The file of exactly this path. */
  find(path: string): MarkedFile | undefined {
    const row = this.#find(path);
    return row === undefined ? undefined : this.#marked(row);
  }

  /** Files whose hash is not known yet. */
  *unhashed(): Generator<MarkedFile> {
    for (const row of this.#unhashed) yield this.#marked(row);
  }

  /** Notes the hash of a file that had none. */
  learnHash({ path }: MarkedFile, hash: string): void {
    const row = this.#find(path);
    if (row === undefined || !this.#unhashed.delete(row)) throw new Error("a hash of another file");
    this.#newHashes.set(row, hash);
  }

  /** All files for a digest; what has no hash yet is known by its mark. */
  *contents(): Generator<DigestedFile> {
    for (let row = 0; row < this.#count; row += 1) {
      const { path, sizeBytes, hash } = this.#file(row);
      yield { path, sizeBytes, hash: hash ?? this.#markText(row) };
    }
  }

  *paths(): Generator<string> {
    for (let row = 0; row < this.#count; row += 1) yield this.#path(row);
  }

  /** All files, in the order in which they were found. */
  *[Symbol.iterator](): Generator<ProjectedFile> {
    for (let row = 0; row < this.#count; row += 1) yield this.#file(row);
  }

  /** The object of exactly this path: a disk may know it by another form of its name (case N07). */
  #objectOf(path: string): number | undefined {
    const object = this.#objects.find(path);
    return object !== undefined && this.#objects.path(object) === path ? object : undefined;
  }

  #find(path: string): number | undefined {
    const object = this.#objectOf(path);
    if (object !== undefined) {
      const row = this.#rowsOfObjects.get(object) - 1;
      return row < 0 ? undefined : row;
    }
    const number = this.#newPaths.find(path);
    return number === undefined ? undefined : this.#rowsOfNew.get(number);
  }

  #path(row: number): string {
    const object = this.#objectRows.get(row) - 1;
    return object < 0 ? this.#newPaths.get(this.#newNumbers.get(row)) : this.#objects.path(object);
  }

  #marked(row: number): MarkedFile {
    const [inode, mtimeNs, ctimeNs] = [this.#inodes.get(row), this.#mtimes.get(row), this.#ctimes.get(row)];
    const file = this.#file(row);
    return { ...file, mark: { inode, sizeBytes: file.sizeBytes, mtimeNs, ctimeNs } };
  }

  #markText(row: number): string {
    return `${this.#inodes.get(row)}:${this.#mtimes.get(row)}:${this.#ctimes.get(row)}`;
  }

  #file(row: number): ProjectedFile {
    if (this.#unhashed.has(row)) return { path: this.#path(row), sizeBytes: this.#sizes.get(row), hash: undefined };
    const object = this.#objectRows.get(row) - 1;
    const hash = this.#newHashes.get(row) ?? (object < 0 ? undefined : this.#objects.hash(object));
    return { path: this.#path(row), sizeBytes: this.#sizes.get(row), hash: hash ?? "" };
  }
}
