import { createHash } from "node:crypto";
import { compareKeys } from "../keys.ts";
import { identity, type Entry } from "../model.ts";
import type { RangeInfo, TreeStore } from "./store.ts";

/** A new entry at a path, or null where the path goes away. */
export interface Change {
  readonly path: string;
  readonly entry: Entry | null;
}

/** A tree with changes applied. */
export interface Applied {
  readonly treeId: string;
  /** Changes that changed something. */
  readonly changedCount: number;
}

// A range ends at a key whose hash says so, or when it is full: equal keys cut equal trees at equal places.
const MEAN_RANGE_ENTRIES = 256;
const MAX_RANGE_ENTRIES = 4_096;

function endsRange(path: string): boolean {
  return createHash("md5").update(path).digest().readUInt32BE(0) % MEAN_RANGE_ENTRIES === 0;
}

/**
 * Applies changes (in the order of their paths, each path once) to a tree. Ranges without a change are kept as they
 * are.
 */
export function applyChanges(trees: TreeStore, treeId: string, changes: readonly Change[]): Applied {
  const writer = new RangeWriter(trees);
  const old = trees.ranges(treeId);
  let at = 0;
  let changedCount = 0;
  for (const [index, range] of old.entries()) {
    const isLast = index === old.length - 1;
    const mine: Change[] = [];
    for (let next = changes[at]; next !== undefined; next = changes[at]) {
      if (!isLast && compareKeys(next.path, range.max) > 0) break;
      mine.push(next);
      at += 1;
    }
    if (mine.length === 0 && writer.isAtBoundary) writer.keep(range);
    else changedCount += joinInto(writer, trees.entries(range.id), mine);
  }
  if (old.length === 0) changedCount += joinInto(writer, [], changes);
  return { treeId: trees.putTree(writer.finish()), changedCount };
}

/** Writes entries with changes applied; how many of them changed something. */
function joinInto(writer: RangeWriter, entries: readonly Entry[], changes: readonly Change[]): number {
  let changedCount = 0;
  let at = 0;
  for (const change of changes) {
    for (
      let entry = entries[at];
      entry !== undefined && compareKeys(entry.path, change.path) < 0;
      entry = entries[at]
    ) {
      writer.add(entry);
      at += 1;
    }
    const before = entries[at]?.path === change.path ? entries[at] : undefined;
    if (before !== undefined) at += 1;
    const same =
      change.entry === null
        ? before === undefined
        : before !== undefined && identity(before) === identity(change.entry);
    if (!same) changedCount += 1;
    // An entry with the same identity stays as it was, its time and address too.
    const after = same ? before : change.entry;
    if (after !== undefined && after !== null) writer.add(after);
  }
  for (const entry of entries.slice(at)) writer.add(entry);
  return changedCount;
}

class RangeWriter {
  readonly #trees: TreeStore;
  readonly #ranges: RangeInfo[] = [];
  #pending: Entry[] = [];

  constructor(trees: TreeStore) {
    this.#trees = trees;
  }

  get isAtBoundary(): boolean {
    return this.#pending.length === 0;
  }

  keep(range: RangeInfo): void {
    this.#ranges.push(range);
  }

  add(entry: Entry): void {
    this.#pending.push(entry);
    if (this.#pending.length >= MAX_RANGE_ENTRIES || endsRange(entry.path)) this.#flush();
  }

  finish(): readonly RangeInfo[] {
    this.#flush();
    return this.#ranges;
  }

  #flush(): void {
    if (this.#pending.length === 0) return;
    this.#ranges.push(this.#trees.putRange(this.#pending));
    this.#pending = [];
  }
}
