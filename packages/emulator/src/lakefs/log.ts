import { findCommit, getCommit } from "./commits.ts";
import type { Context } from "./context.ts";
import type { Commit } from "./model.ts";
import { diffTrees } from "./tree/diff.ts";

/** Which commits a log walks. */
export interface LogWalk {
  readonly start: string;
  readonly firstParent: boolean;
  /** Seconds since 1970; older commits are left out, and what is behind them. */
  readonly sinceS: number | undefined;
}

/** Commits that can be reached, newest first; of equal times the greater id first. */
export function* walkLog(context: Context, repository: string, walk: LogWalk): Generator<Commit> {
  const queue: Commit[] = [];
  const seen = new Set<string>([walk.start]);
  const push = (id: string): void => {
    const commit = getCommit(context.db, repository, id);
    if (walk.sinceS === undefined || commit.createdS >= walk.sinceS) queue.push(commit);
  };
  push(walk.start);
  for (let commit = takeNewest(queue); commit !== undefined; commit = takeNewest(queue)) {
    yield commit;
    const parents = walk.firstParent ? commit.parents.slice(0, 1) : commit.parents;
    for (const parent of parents) {
      if (seen.has(parent)) continue;
      seen.add(parent);
      push(parent);
    }
  }
}

function takeNewest(queue: Commit[]): Commit | undefined {
  let best = 0;
  for (const [index, commit] of queue.entries()) {
    const leader = queue[best];
    if (leader !== undefined && isNewer(commit, leader)) best = index;
  }
  return queue.splice(best, 1)[0];
}

function isNewer(a: Commit, b: Commit): boolean {
  return a.createdS === b.createdS ? a.id > b.id : a.createdS > b.createdS;
}

/** Did this commit (with one parent) change one of the paths, or something below one of the prefixes? */
export function touches(
  context: Context,
  repository: string,
  commit: Commit,
  paths: { readonly objects: readonly string[]; readonly prefixes: readonly string[] },
): boolean {
  const [parentId] = commit.parents;
  if (parentId === undefined || commit.parents.length > 1) return false;
  const parent = findCommit(context.db, repository, parentId);
  if (parent === undefined) return false;
  for (const { path } of diffTrees(context.trees(repository), parent.treeId, commit.treeId)) {
    if (paths.objects.includes(path) || paths.prefixes.some((prefix) => path.startsWith(prefix))) return true;
  }
  return false;
}
