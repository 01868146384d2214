/** What a commit shows: every key of the repository with its content, abstracted to a short text. */
export type Tree = ReadonlyMap<string, string>;

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
