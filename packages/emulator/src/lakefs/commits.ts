import { createHash } from "node:crypto";
import type { Database, Row } from "../store/database.ts";
import type { Commit } from "./model.ts";

/** The name of a commit: what it says, not when it was written down; two that say the same are one, as in lakeFS. */
function commitId(commit: Omit<Commit, "id">): string {
  const { committer, message, treeId, createdS, parents } = commit;
  const said = [committer, message, treeId, createdS, sortedMetadata(commit), parents];
  return createHash("sha256").update(JSON.stringify(said)).digest("hex");
}

function sortedMetadata(commit: Omit<Commit, "id">): [string, string][] {
  return Object.entries(commit.metadata).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function fromRow(row: Row): Commit {
  return {
    id: String(row["id"]),
    committer: String(row["committer"]),
    message: String(row["message"]),
    createdS: Number(row["created_s"]),
    treeId: String(row["tree_id"]),
    parents: JSON.parse(String(row["parents"])),
    metadata: JSON.parse(String(row["metadata"])),
    generation: Number(row["generation"]),
  };
}

/** Writes a commit record; its id. No branch moves. */
export function addCommit(db: Database, repository: string, commit: Omit<Commit, "id">): string {
  const id = commitId(commit);
  const metadata = Object.fromEntries(sortedMetadata(commit));
  db.run(
    `INSERT OR IGNORE INTO commits
       (repository, id, committer, message, created_s, tree_id, parents, metadata, generation)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    repository,
    id,
    commit.committer,
    commit.message,
    commit.createdS,
    commit.treeId,
    JSON.stringify(commit.parents),
    JSON.stringify(metadata),
    commit.generation,
  );
  return id;
}

/** The commit with this full id. */
export function findCommit(db: Database, repository: string, id: string): Commit | undefined {
  const row = db.get("SELECT * FROM commits WHERE repository = ? AND id = ?", repository, id);
  return row === undefined ? undefined : fromRow(row);
}

/** The one commit whose id starts with `prefix`; none where it is ambiguous. */
export function findCommitByPrefix(db: Database, repository: string, prefix: string): Commit | undefined {
  const rows = db.all(
    "SELECT * FROM commits WHERE repository = ? AND id >= ? AND id < ? LIMIT 2",
    repository,
    prefix,
    `${prefix}g`,
  );
  const only = rows.length === 1 ? rows[0] : undefined;
  return only === undefined ? undefined : fromRow(only);
}

/** The commit with this id; a broken store where it is missing. */
export function getCommit(db: Database, repository: string, id: string): Commit {
  const commit = findCommit(db, repository, id);
  if (commit === undefined) throw new Error(`commit ${id} is missing in ${repository}`);
  return commit;
}
