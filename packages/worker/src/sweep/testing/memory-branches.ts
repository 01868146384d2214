import { stagingBranchName, type FenceCommit } from "@perago/fence";
import type { Clock } from "../../attempt/ports/clock.ts";
import type { BranchStore } from "../branch-store.ts";
import type { SweptBranch } from "../sweep-branches.ts";

export const DAY_MS = 86_400_000;
/** What time it is in these tests, unless one says otherwise. */
export const NOW_MS = 2_000_000_000_000;

/** A staging branch's name. */
export function stagingName(executionId: string, logicalTaskKey = "wf:step:0:task"): string {
  return stagingBranchName({ logicalTaskKey, taskId: "task-1", retryCount: 0, executionId });
}

interface Branch {
  readonly head: string;
  readonly isHidden: boolean;
  readonly uncommitted: readonly string[];
}

/** lakeFS' branches in memory. */
export class MemoryBranches {
  readonly branches = new Map<string, Branch>();
  readonly commits = new Map<string, FenceCommit>();
  /** What was asked and done, in order. */
  readonly calls: string[] = [];
  /** Names that cannot be removed. */
  readonly refusing = new Set<string>();
  timeMs = NOW_MS;
  pageSize = 1000;

  constructor() {
    this.commit("base", [], {}, 400 * DAY_MS);
  }

  commit(id: string, parents: readonly string[], metadata: Readonly<Record<string, string>>, ageMs: number): string {
    const creationDate = Math.floor((this.timeMs - ageMs) / 1000);
    this.commits.set(id, { id, parents, metadata, message: id, committer: "c", creationDate });
    return id;
  }

  branch(name: string, head = "base", { isHidden = true, uncommitted = [] as readonly string[] } = {}): string {
    this.branches.set(name, { head, isHidden, uncommitted });
    return name;
  }

  /** A staging branch whose staging commit is so old. */
  staged(executionId: string, ageMs: number, uncommitted: readonly string[] = []): string {
    const name = stagingName(executionId);
    const metadata = {
      "perago.phase": "try",
      "perago.staging_branch": name,
      "perago.task_def_name": "task",
      "perago.workflow_instance_id": "wf",
      "perago.retry_count": "0",
    };
    return this.branch(name, this.commit(`try-${executionId}`, ["base"], metadata, ageMs), { uncommitted });
  }

  store(): BranchStore {
    const branchOf = (name: string): Branch => {
      const branch = this.branches.get(name);
      if (branch === undefined) throw new Error(`no branch ${name}`);
      return branch;
    };
    const commitOf = (id: string): FenceCommit => {
      const commit = this.commits.get(id);
      if (commit === undefined) throw new Error(`no commit ${id}`);
      return commit;
    };
    const firstParents = (id: string): FenceCommit[] => {
      const commit = commitOf(id);
      return commit.parents[0] === undefined ? [commit] : [commit, ...firstParents(commit.parents[0])];
    };
    const { branches, calls } = this;
    const [pageSize, refusing] = [this.pageSize, this.refusing];
    return {
      nowMs: async () => this.timeMs,
      async *pages(repository, namePrefix) {
        for (let after = ""; ;) {
          const names = [...branches.keys()].filter((name) => name.startsWith(namePrefix) && name > after).toSorted();
          const page = names.slice(0, pageSize);
          calls.push(`list ${repository} ${page.length}`);
          yield page.map((name) => ({ name, commitId: branchOf(name).head }));
          if (names.length <= pageSize) return;
          after = page.at(-1) ?? "";
        }
      },
      readCommit: async (_, id) => commitOf(id),
      firstParents: async (_, id, maxCommits) => firstParents(id).slice(0, maxCommits),
      isHidden: async (_, name) => branchOf(name).isHidden,
      uncommitted: async (_, name) => ({ paths: branchOf(name).uncommitted, more: false }),
      async remove(_, name) {
        calls.push(`remove ${name}`);
        if (refusing.has(name)) throw new Error("hook refuses");
        branches.delete(name);
      },
    };
  }
}

/** A clock whose waits end at once, or when the signal fires. */
export function instantClock(): Clock & { readonly waitedMs: number[] } {
  const waitedMs: number[] = [];
  return {
    waitedMs,
    nowMs: () => 0,
    wait: async (delayMs) => void waitedMs.push(delayMs),
  };
}

/** What became of which branch. */
export function told(branches: readonly SweptBranch[]): string[] {
  return branches.map(({ name, outcome, why }) => `${name.split("-").at(-1)} ${why ?? outcome}`);
}
