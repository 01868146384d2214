import type { Row } from "../store/database.ts";
import { findCommit } from "./commits.ts";
import type { Context } from "./context.ts";
import { LakefsError, notFound } from "./errors.ts";
import type { Branch } from "./model.ts";

function fromRow(row: Row): Branch {
  return { name: String(row["name"]), commitId: String(row["commit_id"]), hidden: row["hidden"] === 1 };
}

/** The branch of this name, if any. */
export function findBranch(context: Context, repository: string, name: string): Branch | undefined {
  const row = context.db.get("SELECT * FROM branches WHERE repository = ? AND name = ?", repository, name);
  return row === undefined ? undefined : fromRow(row);
}

/** The branch of this name; 404. */
export function getBranch(context: Context, repository: string, name: string): Branch {
  const branch = findBranch(context, repository, name);
  if (branch === undefined) throw notFound("branch not found");
  return branch;
}

/** Which branches a list shows. */
export interface BranchFilter {
  readonly prefix: string;
  readonly after: string;
  readonly showHidden: boolean;
  readonly limit: number;
}

/** Branches by name. */
export function listBranches(context: Context, repository: string, filter: BranchFilter): Branch[] {
  const rows = context.db.all(
    `SELECT * FROM branches WHERE repository = ? AND name > ? AND substr(name, 1, length(?)) = ? AND (hidden = 0 OR ?)
     ORDER BY name LIMIT ?`,
    repository,
    filter.after,
    filter.prefix,
    filter.prefix,
    filter.showHidden ? 1 : 0,
    filter.limit,
  );
  return rows.map(fromRow);
}

/** Writes a new branch; 409 where its name is a branch's, a tag's or a commit's. */
export function insertBranch(context: Context, repository: string, branch: Branch): void {
  const { db } = context;
  if (findBranch(context, repository, branch.name) !== undefined) {
    throw new LakefsError(409, "branch already exists: not unique");
  }
  if (db.get("SELECT 1 FROM tags WHERE repository = ? AND name = ?", repository, branch.name) !== undefined) {
    throw new LakefsError(409, `tag ID ${branch.name}: conflict found`);
  }
  if (findCommit(db, repository, branch.name) !== undefined) {
    throw new LakefsError(409, `commit ID ${branch.name}: conflict found`);
  }
  db.run(
    "INSERT INTO branches (repository, name, commit_id, hidden) VALUES (?, ?, ?, ?)",
    repository,
    branch.name,
    branch.commitId,
    branch.hidden ? 1 : 0,
  );
}

/** Points a branch at another commit. */
export function moveBranch(context: Context, repository: string, name: string, commitId: string): void {
  context.db.run("UPDATE branches SET commit_id = ? WHERE repository = ? AND name = ?", commitId, repository, name);
}

/** Removes a branch with what is staged on it; 404. */
export function deleteBranch(context: Context, repository: string, name: string): void {
  getBranch(context, repository, name);
  context.db.run("DELETE FROM branches WHERE repository = ? AND name = ?", repository, name);
}
