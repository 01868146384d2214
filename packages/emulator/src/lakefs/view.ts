import { getCommit } from "./commits.ts";
import type { Context } from "./context.ts";
import { notFound } from "./errors.ts";
import { compareKeys } from "./keys.ts";
import type { Entry } from "./model.ts";
import type { ResolvedRef } from "./refs/resolve.ts";
import { findStaged, stagedFrom } from "./staging.ts";
import { entriesFrom, findEntry } from "./tree/read.ts";

/** The entry at a path as a ref shows it: a branch with what is staged on it. */
export function findVisible(context: Context, repository: string, ref: ResolvedRef, path: string): Entry | undefined {
  if (ref.branch !== undefined) {
    const staged = findStaged(context, repository, ref.branch, path);
    if (staged !== undefined) return staged ?? undefined;
  }
  const { treeId } = getCommit(context.db, repository, ref.commitId);
  return findEntry(context.trees(repository), treeId, path);
}

/** Like `findVisible`; 404. */
export function getVisible(context: Context, repository: string, ref: ResolvedRef, path: string): Entry {
  const entry = findVisible(context, repository, ref, path);
  if (entry === undefined) throw notFound("not found");
  return entry;
}

/** Entries at or after `from` as a ref shows them. */
export function* visibleFrom(context: Context, repository: string, ref: ResolvedRef, from: string): Generator<Entry> {
  const { treeId } = getCommit(context.db, repository, ref.commitId);
  const committed = entriesFrom(context.trees(repository), treeId, from);
  if (ref.branch === undefined) {
    yield* committed;
    return;
  }
  const staged = stagedFrom(context, repository, ref.branch, from);
  let below = committed.next();
  for (const change of staged) {
    while (below.done !== true && compareKeys(below.value.path, change.path) < 0) {
      yield below.value;
      below = committed.next();
    }
    if (below.done !== true && below.value.path === change.path) below = committed.next();
    if (change.entry !== null) yield change.entry;
  }
  for (; below.done !== true; below = committed.next()) yield below.value;
}
