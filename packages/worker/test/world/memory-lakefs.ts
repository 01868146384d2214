import type { FenceCommit } from "@perago/fence";
import { HARD_FENCE_WORDS, hardFencePath, isHardFenceInForce, recogniseHardFence } from "@perago/fence/hard-fence";
import type {
  CommitRange,
  HardFenceReading,
  MergeOutcome,
  MergeRequest,
  TargetStore,
} from "../../src/attempt/ports/target-store.ts";
import { AttemptError } from "../../src/failure.ts";

export type Tree = ReadonlyMap<string, string>;

interface MemoryCommit extends FenceCommit {
  readonly tree: Tree;
}

interface Branch {
  head: string;
  readonly uncommitted: Map<string, string | null>;
}

/** One repository in memory with lakeFS' semantics as far as the transaction sees them (servers.md). */
export class MemoryLakefs {
  readonly commits = new Map<string, MemoryCommit>();
  readonly branches = new Map<string, Branch>();
  /** Whether the server runs actions at all (fault D7). */
  runsActions = true;
  /** Counted calls of the port, by name. */
  readonly calls: string[] = [];
  #nextId = 1;

  constructor(tree: Readonly<Record<string, string>> = {}) {
    this.branches.set("main", {
      head: this.#add([], new Map(Object.entries(tree)), {}, "first"),
      uncommitted: new Map(),
    });
  }

  head(branch = "main"): string {
    return this.#branch(branch).head;
  }

  tree(commitId: string): Tree {
    return this.#commit(commitId).tree;
  }

  /** Puts the target's head on a commit, so that a merge of before lands when a test wants it to. */
  rewind(commitId: string): void {
    this.#branch("main").head = commitId;
  }

  /** A commit by somebody else, as a person or another tool makes it. */
  commitForeign(
    changes: Readonly<Record<string, string | null>>,
    metadata: Record<string, string> = {},
    branch = "main",
  ): string {
    const target = this.#branch(branch);
    const tree = applyChanges(this.tree(target.head), new Map(Object.entries(changes)));
    target.head = this.#add([target.head], tree, metadata, "by hand");
    return target.head;
  }

  stagingBranches(): readonly string[] {
    return [...this.branches.keys()].filter((name) => name !== "main");
  }

  put(branch: string, changes: ReadonlyMap<string, string | null>): void {
    for (const [key, content] of changes) this.#branch(branch).uncommitted.set(key, content);
  }

  /** A squash merge: the server's own three-way merge with its conflicts, and the hard fence of the source. */
  merge({ stagingCommit, branch, message, metadata }: Omit<MergeRequest, "timeoutMs" | "repository">): MergeOutcome {
    const target = this.#branch(branch);
    const source = this.#commit(stagingCommit);
    const isFenced = isHardFenceInForce(recogniseHardFence(source.tree.get(hardFencePath(branch)), branch));
    if (isFenced && this.runsActions && metadata["perago.expected_head"] !== target.head) {
      return {
        kind: "refused",
        code: "publish_fence",
        message: `${HARD_FENCE_WORDS} another head`,
        hint: "start again",
      };
    }
    const baseTree = this.tree(this.#mergeBase(stagingCommit, target.head));
    const changes = differences(baseTree, source.tree);
    const targetTree = this.tree(target.head);
    for (const key of differences(baseTree, targetTree).keys()) {
      const both = changes.has(key) && targetTree.get(key) !== source.tree.get(key);
      if (both) return { kind: "refused", code: "merge_conflict", message: `conflict in ${key}`, hint: "start again" };
    }
    target.head = this.#add([target.head], applyChanges(targetTree, changes), metadata, message);
    return { kind: "merged", commitId: target.head };
  }

  store(): TargetStore {
    const counted = <T>(name: string, work: () => T): Promise<T> => {
      this.calls.push(name);
      return new Promise((resolve) => {
        resolve(work());
      });
    };
    return {
      resolveCommit: (_, ref) => counted("resolveCommit", () => this.#resolve(ref)),
      readRange: (request) => counted("readRange", () => this.#range(request)),
      readHardFence: ({ commitId }) => counted("readHardFence", () => this.#hardFence(commitId)),
      readCommit: (_, commitId) => counted("readCommit", () => this.#commit(commitId)),
      listBranches: (_, prefix) =>
        counted("listBranches", () => this.stagingBranches().filter((name) => name.startsWith(prefix))),
      createStagingBranch: (_, name, base) =>
        counted("createStagingBranch", () => void this.branches.set(name, { head: base, uncommitted: new Map() })),
      commitStaging: (request) => counted("commitStaging", () => this.#commitStaging(request)),
      merge: (request) => counted("merge", () => this.merge(request)),
      deleteStagingBranch: (_, name) => counted("deleteStagingBranch", () => void this.branches.delete(name)),
    };
  }

  #commitStaging({ branch, message, metadata }: Parameters<TargetStore["commitStaging"]>[0]): string {
    const staging = this.#branch(branch);
    const tree = applyChanges(this.tree(staging.head), staging.uncommitted);
    staging.head = this.#add([staging.head], tree, metadata, message);
    staging.uncommitted.clear();
    return staging.head;
  }

  #resolve(ref: string): string {
    const found = [...this.commits.keys()].find((id) => id.startsWith(ref));
    if (found !== undefined) return found;
    throw new AttemptError({ code: "ref_invalid", message: `${ref} is no commit`, hint: "pass a commit id" });
  }

  #hardFence(commitId: string): HardFenceReading {
    const text = this.tree(commitId).get(hardFencePath("main"));
    const state = recogniseHardFence(text, "main");
    return isHardFenceInForce(state) && !this.runsActions ? { kind: "not_enforced" } : state;
  }

  #range({ branch, stopAt, maxCommits, withHardFence }: Parameters<TargetStore["readRange"]>[0]): CommitRange {
    const { head } = this.#branch(branch);
    const commits: FenceCommit[] = [];
    for (
      let id: string | undefined = head;
      id !== undefined && commits.length < maxCommits;
      id = this.#commit(id).parents[0]
    ) {
      commits.push(this.#commit(id));
      if (id === stopAt) break;
    }
    return { head, commits, ...(withHardFence ? { hardFence: this.#hardFence(head) } : {}) };
  }

  #mergeBase(left: string, right: string): string {
    const seen = new Set(this.#ancestors(left));
    const base = this.#ancestors(right).find((id) => seen.has(id));
    if (base === undefined) throw new Error("no merge base");
    return base;
  }

  #ancestors(from: string): readonly string[] {
    const found: string[] = [];
    for (const queue = [from]; queue.length > 0;) {
      const id = queue.shift();
      if (id === undefined || found.includes(id)) continue;
      found.push(id);
      queue.push(...this.#commit(id).parents);
    }
    return found;
  }

  #add(parents: readonly string[], tree: Tree, metadata: Readonly<Record<string, string>>, message: string): string {
    const id = (this.#nextId++).toString(16).padStart(8, "0").repeat(8);
    this.commits.set(id, { id, parents, tree, metadata, message, committer: "memory" });
    return id;
  }

  #branch(name: string): Branch {
    const branch = this.branches.get(name);
    if (branch !== undefined) return branch;
    throw new AttemptError({ code: "publish_fence", message: `no branch ${name}`, hint: "create it" });
  }

  #commit(id: string): MemoryCommit {
    const commit = this.commits.get(id);
    if (commit === undefined) throw new Error(`no commit ${id}`);
    return commit;
  }
}

/** Changes that make the second tree of the first; null deletes. */
export function differences(from: Tree, to: Tree): ReadonlyMap<string, string | null> {
  const changes = new Map<string, string | null>();
  for (const [key, content] of to) if (from.get(key) !== content) changes.set(key, content);
  for (const key of from.keys()) if (!to.has(key)) changes.set(key, null);
  return changes;
}

function applyChanges(tree: Tree, changes: ReadonlyMap<string, string | null>): Tree {
  const changed = new Map(tree);
  for (const [key, content] of changes) {
    if (content === null) changed.delete(key);
    else changed.set(key, content);
  }
  return changed;
}
