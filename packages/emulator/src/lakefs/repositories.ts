import type { Row } from "../store/database.ts";
import { addCommit } from "./commits.ts";
import { nowS, type Context } from "./context.ts";
import { badRequest, LakefsError, notFound, readOnlyRepository } from "./errors.ts";
import type { Repository } from "./model.ts";
import { branchPattern } from "./refs/names.ts";

/** What a new repository is made of. */
export interface NewRepository {
  readonly name: string;
  readonly storageNamespace: string;
  readonly defaultBranch: string;
  readonly readOnly: boolean;
}

const repositoryPattern = /^[a-z0-9][a-z0-9-]{2,62}$/;

function fromRow(row: Row): Repository {
  return {
    name: String(row["name"]),
    storageNamespace: String(row["storage_namespace"]),
    defaultBranch: String(row["default_branch"]),
    createdS: Number(row["created_s"]),
    readOnly: row["read_only"] === 1,
  };
}

/** The repository; 404 where there is none, 400 where its name can be none's. */
export function getRepository(context: Context, name: string): Repository {
  if (!repositoryPattern.test(name)) throw badRequest("argument repository: repository id: invalid value");
  const row = context.db.get("SELECT * FROM repositories WHERE name = ?", name);
  if (row === undefined) throw notFound("repository not found");
  return fromRow(row);
}

/** Like `getRepository`, and 403 where it is read-only and the request does not insist. */
export function getWritable(context: Context, name: string, force: boolean): Repository {
  const repository = getRepository(context, name);
  if (repository.readOnly && !force) throw readOnlyRepository();
  return repository;
}

/** All repositories whose names start with `prefix` and come after `after`, by name. */
export function listRepositories(context: Context, prefix: string, after: string): Repository[] {
  const rows = context.db.all("SELECT * FROM repositories WHERE name > ? ORDER BY name", after);
  return rows.map(fromRow).filter((one) => one.name.startsWith(prefix));
}

/** Makes a repository with one commit on its default branch. */
export function createRepository(context: Context, wish: NewRepository): Repository {
  const { db } = context;
  if (!repositoryPattern.test(wish.name)) throw badRequest("request body has an error: name");
  if (db.get("SELECT 1 FROM repositories WHERE name = ?", wish.name) !== undefined) {
    throw new LakefsError(409, "error creating repository: not unique");
  }
  if (!wish.storageNamespace.startsWith("local://")) {
    throw badRequest("failed to match required regex ^local://: invalid namespace");
  }
  if (!branchPattern.test(wish.defaultBranch)) {
    throw badRequest("error creating repository: argument branch: branch id: invalid value: validation error");
  }
  // The real server leaves a mark in the storage, which outlives the repository; a read-only one leaves none.
  const isUsed = db.get("SELECT 1 FROM namespaces WHERE name = ?", wish.storageNamespace) !== undefined;
  if (isUsed && !wish.readOnly) {
    throw badRequest("failed to create repository: found lakeFS objects: storage namespace already in use");
  }
  if (!wish.readOnly) db.run("INSERT INTO namespaces (name) VALUES (?)", wish.storageNamespace);
  const createdS = nowS(context);
  db.run(
    "INSERT INTO repositories (name, storage_namespace, default_branch, created_s, read_only) VALUES (?, ?, ?, ?, ?)",
    wish.name,
    wish.storageNamespace,
    wish.defaultBranch,
    createdS,
    wish.readOnly ? 1 : 0,
  );
  const commitId = addCommit(db, wish.name, {
    committer: "",
    message: "Repository created",
    createdS,
    treeId: "",
    parents: [],
    metadata: {},
    generation: 1,
  });
  db.run(
    "INSERT INTO branches (repository, name, commit_id, hidden) VALUES (?, ?, ?, 0)",
    wish.name,
    wish.defaultBranch,
    commitId,
  );
  return { ...wish, createdS };
}

/** Removes a repository and all that is in it; its objects' bytes stay, as on the real server. */
export function deleteRepository(context: Context, name: string, force: boolean): void {
  getWritable(context, name, force);
  context.db.run("DELETE FROM repositories WHERE name = ?", name);
}
