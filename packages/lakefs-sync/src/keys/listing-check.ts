import { exactDisk, pathIdentity, type DiskTraits } from "./disk-traits.ts";
import { isActionKey, segmentDefect } from "./segment.ts";

/** One reason why a listing is no folder; `keys` are whole keys. */
export interface KeyDefect {
  readonly keys: readonly string[];
  readonly what: string;
}

/** What a listing means as a folder. */
export interface CheckedListing<T> {
  /** Entries that are files, with their paths below the prefix. */
  readonly files: readonly { readonly path: string; readonly entry: T }[];
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

/** Names seen so far; finds `a` beside `a/b` and names that the disk folds together (cases N04, N06). */
class NameTable {
  readonly #prefix: string;
  readonly #disk: DiskTraits;
  readonly #files = new Map<string, string>();
  readonly #directories = new Map<string, { readonly path: string; readonly exampleKey: string }>();
  readonly defects: KeyDefect[] = [];
  #lastDirectory: string | undefined;

  constructor(prefix: string, disk: DiskTraits) {
    this.#prefix = prefix;
    this.#disk = disk;
  }

  addFile(path: string): void {
    const identity = pathIdentity(path, this.#disk);
    const key = this.#prefix + path;
    const twin = this.#files.get(identity);
    if (twin !== undefined) {
      const what = twin === path ? "listed twice" : "names that fold together on this disk";
      this.defects.push({ keys: [this.#prefix + twin, key], what });
    }
    this.#files.set(identity, path);
    this.addDirectory(path.slice(0, Math.max(0, path.lastIndexOf("/"))), key);
  }

  addDirectory(path: string, exampleKey: string): void {
    if (path === "" || path === this.#lastDirectory) return;
    this.#lastDirectory = path;
    for (
      let directory = path;
      directory !== "";
      directory = directory.slice(0, Math.max(0, directory.lastIndexOf("/")))
    ) {
      const identity = pathIdentity(directory, this.#disk);
      const known = this.#directories.get(identity);
      if (known === undefined) {
        this.#directories.set(identity, { path: directory, exampleKey });
        continue;
      }
      if (known.path !== directory) {
        this.defects.push({
          keys: [known.exampleKey, exampleKey],
          what: "directories that fold together on this disk",
        });
      }
      return;
    }
  }

  close(): void {
    for (const [identity, path] of this.#files) {
      const directory = this.#directories.get(identity);
      if (directory !== undefined) {
        this.defects.push({
          keys: [this.#prefix + path, directory.exampleKey],
          what: "an object and a directory of one name",
        });
      }
    }
  }
}

/**
 * Judges a whole listing before anything is written (rule I5, cases N02, N04, N06, N12). Every key is kept that is not
 * excluded by exact name, dot files included (case N01). Pure.
 */
export function validateListing<T extends { readonly path: string }>(
  entries: Iterable<T>,
  rules: ListingRules,
): CheckedListing<T> {
  const { prefix, excludedPaths, disk = exactDisk } = rules;
  const names = new NameTable(prefix, disk);
  const files: { path: string; entry: T }[] = [];
  const markerDirectories: string[] = [];
  let leftOutCount = 0;
  for (const entry of entries) {
    const path = entry.path.slice(prefix.length);
    if (isActionKey(entry.path) || excludedPaths.has(path)) {
      leftOutCount += 1;
      continue;
    }
    if (!entry.path.startsWith(prefix)) {
      names.defects.push({ keys: [entry.path], what: "listed below a prefix that it does not have" });
      continue;
    }
    const isMarker = path === "" || path.endsWith("/");
    const inner = isMarker ? path.slice(0, -1) : path;
    const defect = inner === "" && path === "" ? undefined : firstDefect(inner);
    if (defect !== undefined) names.defects.push({ keys: [entry.path], what: defect });
    else if (!isMarker) {
      files.push({ path, entry });
      names.addFile(path);
    } else if (inner !== "") {
      markerDirectories.push(inner);
      names.addDirectory(inner, entry.path);
    }
  }
  names.close();
  return { files, markerDirectories, defects: names.defects, leftOutCount };
}

function firstDefect(path: string): string | undefined {
  for (const segment of path.split("/")) {
    const defect = segmentDefect(segment);
    if (defect !== undefined) return defect;
  }
  return undefined;
}
