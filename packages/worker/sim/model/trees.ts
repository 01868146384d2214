import type { HardFenceReading } from "../../src/attempt/ports/target-store.ts";

/** What a commit shows: every key of the repository with its content, abstracted to a short text. */
export type Tree = ReadonlyMap<string, string>;

/** Where the action of the hard fence stands (rule H1). */
export const ACTION = "_lakefs_actions/hard-fence";

/** What a commit with this tree carries of the hard fence. */
export function hardFenceOf(tree: Tree): HardFenceReading {
  return tree.has(ACTION) ? { kind: "in_force", version: 1, exclusive: false } : { kind: "missing" };
}

/** The first tree of a target, with the hard fence or without. */
export function firstTree(hardFence: boolean): Tree {
  const data: [string, string][] = [
    [`${PREFIX}in`, "0"],
    ["other/x", "0"],
  ];
  return new Map(hardFence ? [...data, [ACTION, "1"]] : data);
}

/** The prefix of every workspace in the model. */
export const PREFIX = "data/";

const texts = new WeakMap<Tree, string>();

/** One text for one tree, whatever the order of its keys. A tree never changes once it is asked for its text. */
export function treeText(tree: Tree): string {
  const known = texts.get(tree);
  if (known !== undefined) return known;
  const lines = [...tree].map(([key, content]) => `${key}=${content}`);
  const text = lines.toSorted().join(" ");
  texts.set(tree, text);
  return text;
}

/** The part below the prefix: what a folder holds. */
export function projectionOf(tree: Tree, prefix: string = PREFIX): Tree {
  return new Map([...tree].filter(([key]) => key.startsWith(prefix)));
}

/** The part that is not below the prefix: what no attempt may touch (rule S4). */
export function outsideOf(tree: Tree, prefix: string = PREFIX): Tree {
  return new Map([...tree].filter(([key]) => !key.startsWith(prefix)));
}

/** Rule T4: the projection replaced exactly, the rest kept. */
export function withProjection(tree: Tree, projection: Tree): Tree {
  return new Map([...outsideOf(tree), ...projection]);
}

/** lakeFS' three-way merge: the source's changes upon the target, or the key on which both sides differ. */
export function mergeTrees(base: Tree, source: Tree, target: Tree): { tree: Tree } | { conflict: string } {
  const merged = new Map(target);
  for (const key of new Set([...base.keys(), ...source.keys()])) {
    const [was, ours, theirs] = [base.get(key), source.get(key), target.get(key)];
    if (was === ours) continue;
    if (theirs !== was && theirs !== ours) return { conflict: key };
    if (ours === undefined) merged.delete(key);
    else merged.set(key, ours);
  }
  return { tree: merged };
}
