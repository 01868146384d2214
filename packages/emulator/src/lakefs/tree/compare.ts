import type { Entry } from "../model.ts";
import { diffTrees } from "./diff.ts";
import { sameEntry } from "./merge.ts";
import { findEntry } from "./read.ts";
import type { TreeStore } from "./store.ts";

/** How a path differs, in lakeFS' words. */
export type DifferenceType = "added" | "removed" | "changed" | "conflict";

/** A path that differs, as diffs show it. */
export interface Difference {
  readonly path: string;
  readonly type: DifferenceType;
  /** The entry on the right; where it is gone, the one on the left. */
  readonly entry: Entry;
}

/** Two dots: what differs between two trees. */
export function* twoDot(trees: TreeStore, left: string, right: string): Generator<Difference> {
  for (const one of diffTrees(trees, left, right)) {
    const entry = one.right ?? one.left;
    if (entry === undefined) continue;
    yield { path: one.path, type: typeOf(one.left, one.right), entry };
  }
}

/** Three dots: what a merge of the right tree into the left one would change, given their base. */
export function* threeDot(trees: TreeStore, left: string, right: string, base: string): Generator<Difference> {
  for (const one of diffTrees(trees, left, right)) {
    const entry = one.right ?? one.left;
    if (entry === undefined) continue;
    const before = findEntry(trees, base, one.path);
    // Changed on the left only.
    if (sameEntry(before, one.right)) continue;
    const type = sameEntry(before, one.left) ? typeOf(one.left, one.right) : "conflict";
    yield { path: one.path, type, entry };
  }
}

function typeOf(left: Entry | undefined, right: Entry | undefined): DifferenceType {
  if (left === undefined) return "added";
  return right === undefined ? "removed" : "changed";
}
