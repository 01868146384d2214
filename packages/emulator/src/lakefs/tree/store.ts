import { createHash } from "node:crypto";
import type { Database } from "../../store/database.ts";
import type { Entry } from "../model.ts";

/**
 * One piece of a tree: entries with consecutive keys. Its id is that of all that they hold, addresses and times too.
 */
export interface RangeInfo {
  readonly id: string;
  readonly min: string;
  readonly max: string;
  readonly count: number;
}

/** The trees of one repository. A tree is a list of ranges. An object that was uploaded twice
 * makes two trees, also where its content is the same: as on the real server, a change and its way back is a change. */
export interface TreeStore {
  /** The ranges of a tree; the empty id is a tree without entries. */
  ranges(treeId: string): readonly RangeInfo[];
  /** The entries of a range, in the order of their keys. */
  entries(rangeId: string): readonly Entry[];
  /** Keeps a range. `entries` is not empty. */
  putRange(entries: readonly Entry[]): RangeInfo;
  /** Keeps a tree; its id. */
  putTree(ranges: readonly RangeInfo[]): string;
}

const CACHED_RANGES = 256;

/** The trees of a repository in the database. */
export function openTrees(db: Database, repository: string): TreeStore {
  return new SqlTrees(db, repository);
}

class SqlTrees implements TreeStore {
  readonly #db: Database;
  readonly #repository: string;
  readonly #cache = new Map<string, readonly Entry[]>();

  constructor(db: Database, repository: string) {
    this.#db = db;
    this.#repository = repository;
  }

  ranges(treeId: string): readonly RangeInfo[] {
    if (treeId === "") return [];
    const row = this.#db.get("SELECT ranges FROM trees WHERE repository = ? AND id = ?", this.#repository, treeId);
    if (row === undefined) throw new Error(`tree ${treeId} is missing in ${this.#repository}`);
    return JSON.parse(String(row["ranges"]));
  }

  entries(rangeId: string): readonly Entry[] {
    const known = this.#cache.get(rangeId);
    if (known !== undefined) return known;
    const row = this.#db.get("SELECT entries FROM ranges WHERE repository = ? AND id = ?", this.#repository, rangeId);
    if (row === undefined) throw new Error(`range ${rangeId} is missing in ${this.#repository}`);
    const entries: readonly Entry[] = JSON.parse(String(row["entries"]));
    this.#remember(rangeId, entries);
    return entries;
  }

  putRange(entries: readonly Entry[]): RangeInfo {
    const first = entries[0];
    const last = entries.at(-1);
    if (first === undefined || last === undefined) throw new Error("a range has entries");
    const text = JSON.stringify(entries);
    const id = createHash("sha256").update(text).digest("hex");
    this.#db.run("INSERT OR IGNORE INTO ranges (repository, id, entries) VALUES (?, ?, ?)", this.#repository, id, text);
    return { id, min: first.path, max: last.path, count: entries.length };
  }

  putTree(ranges: readonly RangeInfo[]): string {
    const hash = createHash("sha256");
    for (const range of ranges) hash.update(`${range.id}\n`);
    const id = hash.digest("hex");
    this.#db.run(
      "INSERT OR IGNORE INTO trees (repository, id, ranges) VALUES (?, ?, ?)",
      this.#repository,
      id,
      JSON.stringify(ranges),
    );
    return id;
  }

  #remember(rangeId: string, entries: readonly Entry[]): void {
    if (this.#cache.size >= CACHED_RANGES) {
      const oldest = this.#cache.keys().next();
      if (oldest.done !== true) this.#cache.delete(oldest.value);
    }
    this.#cache.set(rangeId, entries);
  }
}
