import { getCommit } from "./commits.ts";
import type { Context } from "./context.ts";
import type { Commit } from "./model.ts";

const FROM_LEFT = 1;
const FROM_RIGHT = 2;
const FROM_BOTH = 3;

/** The best common ancestor of two commits; undefined where they share none. */
export function findMergeBase(context: Context, repository: string, left: Commit, right: Commit): Commit | undefined {
  if (left.id === right.id) return left;
  const reached = new Map<string, number>([
    [left.id, FROM_LEFT],
    [right.id, FROM_RIGHT],
  ]);
  const queue = [left, right];
  for (let commit = takeDeepest(queue); commit !== undefined; commit = takeDeepest(queue)) {
    for (const parentId of commit.parents) {
      const before = reached.get(parentId);
      const after = (before ?? 0) | (reached.get(commit.id) ?? 0);
      reached.set(parentId, after);
      if (after === FROM_BOTH) return getCommit(context.db, repository, parentId);
      if (before === undefined) queue.push(getCommit(context.db, repository, parentId));
    }
  }
  return undefined;
}

/** Takes the commit of the greatest generation: no ancestor comes before one of its descendants. */
function takeDeepest(queue: Commit[]): Commit | undefined {
  let best = 0;
  for (const [index, commit] of queue.entries()) {
    const leader = queue[best];
    if (leader !== undefined && comesBefore(commit, leader)) best = index;
  }
  return queue.splice(best, 1)[0];
}

function comesBefore(a: Commit, b: Commit): boolean {
  return a.generation === b.generation ? a.createdS > b.createdS : a.generation > b.generation;
}
