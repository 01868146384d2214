import { compareKeys } from "../keys.ts";
import type { Entry } from "../model.ts";
import type { TreeStore } from "./store.ts";

/** The first index of `items` for which `reached` holds; items before do not, items after do. */
function firstIndex<T>(items: readonly T[], reached: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && reached(item)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The entry at a path. */
export function findEntry(trees: TreeStore, treeId: string, path: string): Entry | undefined {
  const ranges = trees.ranges(treeId);
  const range = ranges[firstIndex(ranges, (one) => compareKeys(one.max, path) >= 0)];
  if (range === undefined || compareKeys(range.min, path) > 0) return undefined;
  const entries = trees.entries(range.id);
  const found = entries[firstIndex(entries, (one) => compareKeys(one.path, path) >= 0)];
  return found?.path === path ? found : undefined;
}

/** Entries with keys at or after `from`, in order. */
export function* entriesFrom(trees: TreeStore, treeId: string, from: string): Generator<Entry> {
  const ranges = trees.ranges(treeId);
  const start = firstIndex(ranges, (one) => compareKeys(one.max, from) >= 0);
  for (const range of ranges.slice(start)) {
    const entries = trees.entries(range.id);
    const first = firstIndex(entries, (one) => compareKeys(one.path, from) >= 0);
    yield* first === 0 ? entries : entries.slice(first);
  }
}
