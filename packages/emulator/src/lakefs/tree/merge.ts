import { identity, type Entry } from "../model.ts";
import { applyChanges, type Change } from "./apply.ts";
import { diffTrees } from "./diff.ts";
import type { TreeStore } from "./store.ts";

/** What wins where both sides changed a path; none: it is a conflict. */
export type MergeStrategy = "none" | "dest-wins" | "source-wins";

/** The three trees of a merge, and its strategy. */
export interface MergeTrees {
  readonly source: string;
  readonly destination: string;
  readonly base: string;
  readonly strategy: MergeStrategy;
}

/** The id of the merged tree; undefined where both sides changed a path and no strategy says which one wins. */
export function mergeTrees(trees: TreeStore, merge: MergeTrees): string | undefined {
  if (merge.destination === merge.base) return merge.source;
  const theirs = new Map<string, Entry | undefined>();
  for (const one of diffTrees(trees, merge.base, merge.destination)) theirs.set(one.path, one.right);
  const changes: Change[] = [];
  for (const one of diffTrees(trees, merge.base, merge.source)) {
    const entry = one.right ?? null;
    if (theirs.has(one.path) && !sameEntry(theirs.get(one.path), one.right)) {
      if (merge.strategy === "none") return undefined;
      if (merge.strategy === "dest-wins") continue;
    }
    changes.push({ path: one.path, entry });
  }
  return applyChanges(trees, merge.destination, changes).treeId;
}

/** Are both sides absent, or of the same identity? */
export function sameEntry(a: Entry | undefined, b: Entry | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return identity(a) === identity(b);
}
