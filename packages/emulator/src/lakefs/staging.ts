import type { Row } from "../store/database.ts";
import { getCommit } from "./commits.ts";
import type { Context } from "./context.ts";
import { identity, type Branch, type Entry } from "./model.ts";
import type { Change } from "./tree/apply.ts";
import type { Difference } from "./tree/compare.ts";
import { findEntry } from "./tree/read.ts";
import type { DifferenceType } from "./tree/compare.ts";

const BATCH_ROWS = 1_000;

function fromRow(row: Row): Change {
  const text = row["entry"];
  return { path: String(row["path"]), entry: typeof text === "string" ? JSON.parse(text) : null };
}

/** What is staged at a path: an entry, null for a deletion, undefined where nothing is. */
export function findStaged(
  context: Context,
  repository: string,
  branch: string,
  path: string,
): Entry | null | undefined {
  const row = context.db.get(
    "SELECT path, entry FROM staged WHERE repository = ? AND branch = ? AND path = ?",
    repository,
    branch,
    path,
  );
  return row === undefined ? undefined : fromRow(row).entry;
}

/** What is staged at or after `from`, by path. Rows are read in batches: a listing needs few of many. */
export function* stagedFrom(context: Context, repository: string, branch: string, from: string): Generator<Change> {
  let rows = context.db.all(
    "SELECT path, entry FROM staged WHERE repository = ? AND branch = ? AND path >= ? ORDER BY path LIMIT ?",
    repository,
    branch,
    from,
    BATCH_ROWS,
  );
  while (rows.length > 0) {
    let last = "";
    for (const row of rows) {
      const change = fromRow(row);
      last = change.path;
      yield change;
    }
    if (rows.length < BATCH_ROWS) return;
    rows = context.db.all(
      "SELECT path, entry FROM staged WHERE repository = ? AND branch = ? AND path > ? ORDER BY path LIMIT ?",
      repository,
      branch,
      last,
      BATCH_ROWS,
    );
  }
}

/** Stages an entry, or a deletion. */
export function stage(context: Context, repository: string, branch: string, change: Change): void {
  context.db.run(
    `INSERT INTO staged (repository, branch, path, entry) VALUES (?, ?, ?, ?)
     ON CONFLICT (repository, branch, path) DO UPDATE SET entry = excluded.entry`,
    repository,
    branch,
    change.path,
    change.entry === null ? null : JSON.stringify(change.entry),
  );
}

/** Forgets what is staged: all, one path, or all paths with a prefix. */
export function unstage(
  context: Context,
  repository: string,
  branch: string,
  what: { readonly path: string } | { readonly prefix: string },
): void {
  if ("path" in what) {
    context.db.run(
      "DELETE FROM staged WHERE repository = ? AND branch = ? AND path = ?",
      repository,
      branch,
      what.path,
    );
    return;
  }
  context.db.run(
    "DELETE FROM staged WHERE repository = ? AND branch = ? AND substr(path, 1, length(?)) = ?",
    repository,
    branch,
    what.prefix,
    what.prefix,
  );
}

/** What a commit of the branch would change, at or after `from`. */
export function* uncommitted(context: Context, repository: string, branch: Branch, from = ""): Generator<Difference> {
  const trees = context.trees(repository);
  const { treeId } = getCommit(context.db, repository, branch.commitId);
  for (const { path, entry } of stagedFrom(context, repository, branch.name, from)) {
    const before = findEntry(trees, treeId, path);
    const shown = entry ?? before;
    if (shown === undefined) continue;
    if (entry !== null && before !== undefined && identity(entry) === identity(before)) continue;
    yield { path, type: typeOf(before, entry), entry: shown };
  }
}

/** Would a commit change anything? */
export function isDirty(context: Context, repository: string, branch: Branch): boolean {
  return uncommitted(context, repository, branch).next().done !== true;
}

function typeOf(before: Entry | undefined, after: Entry | null): DifferenceType {
  if (before === undefined) return "added";
  return after === null ? "removed" : "changed";
}
