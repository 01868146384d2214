import { compareKeys } from "../keys.ts";
import { identity, type Entry } from "../model.ts";
import type { RangeInfo, TreeStore } from "./store.ts";

/** A path that differs between two trees; at least one side is there. */
export interface TreeDifference {
  readonly path: string;
  readonly left: Entry | undefined;
  readonly right: Entry | undefined;
}

/** A place in a tree: at the head of a range that is not loaded, or inside one. */
class Cursor {
  readonly #trees: TreeStore;
  readonly #ranges: readonly RangeInfo[];
  #range = 0;
  #entries: readonly Entry[] | undefined;
  #entry = 0;

  constructor(trees: TreeStore, treeId: string) {
    this.#trees = trees;
    this.#ranges = trees.ranges(treeId);
  }

  /** The key that comes next. */
  get key(): string | undefined {
    return this.#entries === undefined ? this.#ranges[this.#range]?.min : this.#entries[this.#entry]?.path;
  }

  /** The range at whose head the cursor is. */
  get head(): RangeInfo | undefined {
    return this.#entries === undefined || this.#entry === 0 ? this.#ranges[this.#range] : undefined;
  }

  take(): Entry | undefined {
    const range = this.#ranges[this.#range];
    if (range === undefined) return undefined;
    this.#entries ??= this.#trees.entries(range.id);
    const entry = this.#entries[this.#entry];
    this.#entry += 1;
    if (this.#entry >= this.#entries.length) this.skipRange();
    return entry;
  }

  skipRange(): void {
    this.#range += 1;
    this.#entry = 0;
    this.#entries = undefined;
  }
}

/** What differs between two trees, in the order of the paths. Ranges that both have are not read. */
export function* diffTrees(trees: TreeStore, leftId: string, rightId: string): Generator<TreeDifference> {
  if (leftId === rightId) return;
  const left = new Cursor(trees, leftId);
  const right = new Cursor(trees, rightId);
  for (;;) {
    const [leftKey, rightKey] = [left.key, right.key];
    if (leftKey === undefined && rightKey === undefined) return;
    if (left.head !== undefined && left.head.id === right.head?.id) {
      left.skipRange();
      right.skipRange();
      continue;
    }
    const order = orderOf(leftKey, rightKey);
    const leftEntry = order <= 0 ? left.take() : undefined;
    const rightEntry = order >= 0 ? right.take() : undefined;
    const path = (leftEntry ?? rightEntry)?.path;
    if (path === undefined) return;
    if (leftEntry !== undefined && rightEntry !== undefined && identity(leftEntry) === identity(rightEntry)) continue;
    yield { path, left: leftEntry, right: rightEntry };
  }
}

function orderOf(left: string | undefined, right: string | undefined): number {
  if (left === undefined) return 1;
  if (right === undefined) return -1;
  return compareKeys(left, right);
}
