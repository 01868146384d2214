import type { FenceCommit } from "@perago/fence";
import { mergeTrees, treeText, type Tree } from "./trees.ts";

/** A commit of the model; `number` is its place in the repository, and its id is that number as lakeFS writes ids. */
export interface ModelCommit extends FenceCommit {
  readonly number: number;
  /** -1 for the first commit. */
  readonly parent: number;
  readonly tree: Tree;
}

/** Why a merge made no commit. */
export interface MergeConflict {
  readonly conflict: string;
}

/**
 * All commits that any run of the model ever made. A commit is named by what it holds (parent, tree, metadata), as in
 * lakeFS, so two runs that do the same in another order have the same commits.
 */
export class Repository {
  readonly commits: ModelCommit[] = [];
  readonly #byContent = new Map<string, number>();
  readonly #histories: (readonly ModelCommit[])[] = [];

  /** The commit with this content, made where it is not there yet. */
  add(parent: number, tree: Tree, metadata: Readonly<Record<string, string>>): number {
    const content = `${parent}\n${treeText(tree)}\n${JSON.stringify(metadata)}`;
    const known = this.#byContent.get(content);
    if (known !== undefined) return known;
    const number = this.commits.length;
    const parents = parent < 0 ? [] : [this.commit(parent).id];
    const message = metadata["perago.phase"] ?? "by hand";
    const id = number.toString(16).padStart(8, "0").repeat(8);
    this.commits.push({ id, number, parent, parents, tree, metadata, message, committer: "model" });
    this.#byContent.set(content, number);
    return number;
  }

  /** A commit by its number. */
  commit(number: number): ModelCommit {
    const commit = this.commits[number];
    if (commit === undefined) throw new Error(`no commit ${number}`);
    return commit;
  }

  /** A commit by its id. */
  byId(id: string): ModelCommit {
    return this.commit(Number.parseInt(id.slice(0, 8), 16));
  }

  /** First parents, newest first, down to the first commit. */
  history(head: number): readonly ModelCommit[] {
    const known = this.#histories[head];
    if (known !== undefined) return known;
    const commit = this.commit(head);
    const history = commit.parent < 0 ? [commit] : [commit, ...this.history(commit.parent)];
    this.#histories[head] = history;
    return history;
  }

  /** First parents from the head down to and including `stopAt`; all of them where it is not met. */
  range(head: number, stopAt: string, maxCommits: number): readonly ModelCommit[] {
    const history = this.history(head);
    const end = history.findIndex(({ id }) => id === stopAt);
    return history.slice(0, Math.min(end < 0 ? history.length : end + 1, maxCommits));
  }

  /** A squash merge, as lakeFS does it: three ways from the nearest common ancestor, one parent, the given metadata. */
  squashMerge(
    source: number,
    head: number,
    metadata: Readonly<Record<string, string>>,
  ): { readonly number: number } | MergeConflict {
    const ancestors = new Set(this.history(head));
    const base = this.history(source).find((commit) => ancestors.has(commit));
    if (base === undefined) throw new Error("two commits of one repository have no common ancestor");
    const merged = mergeTrees(base.tree, this.commit(source).tree, this.commit(head).tree);
    return "conflict" in merged ? merged : { number: this.add(head, merged.tree, metadata) };
  }
}
