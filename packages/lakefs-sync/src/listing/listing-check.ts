import { exactDisk, pathIdentity, type DiskTraits } from "../keys/disk-traits.ts";
import { isActionKey, segmentDefect } from "../keys/segment.ts";
import { NumberColumn } from "./columns.ts";
import { ObjectTable, type ObjectRecord } from "./object-table.ts";
import { TextTable } from "./text-table.ts";

/** One reason why a listing is no folder; `keys` are whole keys. */
export interface KeyDefect {
  readonly keys: readonly string[];
  readonly what: string;
}

/** What a listing means as a folder. */
export interface CheckedListing {
  /** The objects that are files, by their paths below the prefix. */
  readonly objects: ObjectTable;
  /** Directories that have a marker object (rule T10), below the prefix. */
  readonly markerDirectories: readonly string[];
  /** All reasons against it (rule I5); write nothing unless it is empty. */
  readonly defects: readonly KeyDefect[];
  /** Keys left out of the projection: hooks and the runtime's own marker (rule T6). They are never deleted. */
  readonly leftOutCount: number;
}

/** What is needed to judge a listing. */
export interface ListingRules {
  /** As `normalisePrefix` gives it. */
  readonly prefix: string;
  /** Paths below the prefix that belong to the runtime, by exact name (case N01). */
  readonly excludedPaths: ReadonlySet<string>;
  readonly disk?: DiskTraits;
}

/** An object as a server lists it. */
export interface ListedKey extends ObjectRecord {
  /** The whole key. */
  readonly key: string;
}

/** Longest path that a system call takes. */
const maxPathSizeBytes = 4095;

/** The directories of a listing, each with an example of what is in it; finds what the disk folds together. */
class DirectoryTable {
  readonly #disk: DiskTraits;
  readonly #paths = new TextTable();
  readonly #identities: TextTable;
  /** Number of the object below, or of the marker as -1 - number. */
  readonly #examples = new NumberColumn(Int32Array);
  #lastPath = "";

  constructor(disk: DiskTraits) {
    this.#disk = disk;
    this.#identities = disk.foldsCase || disk.normalises ? new TextTable() : this.#paths;
  }

  /** Adds a directory with all above it; answers another one that the disk takes for the same. */
  add(path: string, example: number): number | undefined {
    if (path === "" || path === this.#lastPath) return undefined;
    this.#lastPath = path;
    for (let directory = path; directory !== ""; directory = parentOf(directory)) {
      const identity = pathIdentity(directory, this.#disk);
      const known = this.#identities.find(identity);
      if (known !== undefined) return this.#paths.get(known) === directory ? undefined : this.#examples.get(known);
      const row = this.#paths.add(directory);
      if (this.#identities !== this.#paths) this.#identities.add(identity);
      this.#examples.set(row, example);
    }
    return undefined;
  }

  get count(): number {
    return this.#paths.count;
  }

  path(row: number): string {
    return this.#paths.get(row);
  }

  example(row: number): number {
    return this.#examples.get(row);
  }
}

/** The directory above a path; "" at the top. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/**
 * Judges a listing while it comes in (rule I5, cases N02, N04, N06, N12). Every key is kept that is not excluded by
 * exact name, dot files included (case N01).
 */
export class ListingCheck {
  readonly #rules: ListingRules;
  readonly #objects: ObjectTable;
  readonly #directories: DirectoryTable;
  readonly #markerDirectories: string[] = [];
  readonly #defects: KeyDefect[] = [];
  #leftOutCount = 0;

  constructor(rules: ListingRules) {
    const disk = rules.disk ?? exactDisk;
    this.#rules = rules;
    this.#objects = new ObjectTable(rules.prefix, disk);
    this.#directories = new DirectoryTable(disk);
  }

  /** Objects and markers so far. */
  get count(): number {
    return this.#objects.count + this.#markerDirectories.length + this.#defects.length + this.#leftOutCount;
  }

  add(entry: ListedKey): void {
    const { key } = entry;
    const { prefix, excludedPaths } = this.#rules;
    const path = key.slice(prefix.length);
    if (isActionKey(key) || excludedPaths.has(path)) {
      this.#leftOutCount += 1;
      return;
    }
    const isMarker = path === "" || path.endsWith("/");
    const inner = path.endsWith("/") ? path.slice(0, -1) : path;
    const defect = key.startsWith(prefix) ? firstDefect(inner, path) : "listed below a prefix that it does not have";
    if (defect !== undefined) this.#defects.push({ keys: [key], what: defect });
    else if (!isMarker) this.#addFile(path, entry);
    else if (inner !== "") this.#addDirectory(inner, -this.#markerDirectories.push(inner), key);
  }

  close(): CheckedListing {
    const objects = this.#objects;
    for (let row = 0; row < this.#directories.count; row += 1) {
      const file = objects.find(this.#directories.path(row));
      if (file === undefined) continue;
      const keys = [objects.prefix + objects.path(file), this.#exampleKey(this.#directories.example(row))];
      this.#defects.push({ keys, what: "an object and a directory of one name" });
    }
    const [markerDirectories, defects, leftOutCount] = [this.#markerDirectories, this.#defects, this.#leftOutCount];
    return { objects, markerDirectories, defects, leftOutCount };
  }

  #addFile(path: string, entry: ListedKey): void {
    const twin = this.#objects.find(path);
    if (twin !== undefined) {
      const twinPath = this.#objects.path(twin);
      const what = twinPath === path ? "listed twice" : "names that fold together on this disk";
      this.#defects.push({ keys: [this.#rules.prefix + twinPath, entry.key], what });
    }
    this.#addDirectory(parentOf(path), this.#objects.add(path, entry), entry.key);
  }

  #addDirectory(path: string, example: number, key: string): void {
    const twin = this.#directories.add(path, example);
    if (twin === undefined) return;
    const what = "directories that fold together on this disk";
    this.#defects.push({ keys: [this.#exampleKey(twin), key], what });
  }

  #exampleKey(example: number): string {
    const below = example < 0 ? `${this.#markerDirectories[-1 - example]}/` : this.#objects.path(example);
    return this.#rules.prefix + below;
  }
}

/** {@link ListingCheck} over a whole listing. */
export function validateListing(entries: Iterable<ListedKey>, rules: ListingRules): CheckedListing {
  const check = new ListingCheck(rules);
  for (const entry of entries) check.add(entry);
  return check.close();
}

function firstDefect(inner: string, path: string): string | undefined {
  if (inner === "" && path === "") return undefined;
  if (inner.length * 3 > maxPathSizeBytes && Buffer.byteLength(inner) > maxPathSizeBytes) {
    return `a path of over ${maxPathSizeBytes} bytes`;
  }
  for (const segment of inner.split("/")) {
    const defect = segmentDefect(segment);
    if (defect !== undefined) return defect;
  }
  return undefined;
}
