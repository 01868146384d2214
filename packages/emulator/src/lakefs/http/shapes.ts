import type { Commit, Entry, Repository } from "../model.ts";

/** A repository as answers show it. */
export function repositoryBody(repository: Repository): object {
  return {
    creation_date: repository.createdS,
    default_branch: repository.defaultBranch,
    id: repository.name,
    read_only: repository.readOnly,
    storage_id: "",
    storage_namespace: repository.storageNamespace,
  };
}

const COMMIT_VERSION = 1;

/** A commit as answers show it. */
export function commitBody(commit: Commit): object {
  return {
    committer: commit.committer,
    creation_date: commit.createdS,
    generation: commit.generation,
    id: commit.id,
    message: commit.message,
    meta_range_id: commit.treeId,
    metadata: commit.metadata,
    parents: commit.parents,
    version: COMMIT_VERSION,
  };
}

/** Where an entry's bytes are, in full. */
export function physicalAddress(repository: Repository, entry: Entry): string {
  if (/^[a-z0-9]+:\/\//.test(entry.address)) return entry.address;
  return `${repository.storageNamespace.replace(/\/$/, "")}/${entry.address}`;
}

/** An object as answers show it; `metadata` undefined leaves it out. */
export function objectBody(
  repository: Repository,
  entry: Entry,
  metadata: Readonly<Record<string, string>> | undefined,
): object {
  return {
    checksum: entry.checksum,
    content_type: entry.contentType,
    ...(metadata === undefined ? {} : { metadata }),
    mtime: entry.mtimeS,
    path: entry.path,
    path_type: "object",
    physical_address: physicalAddress(repository, entry),
    size_bytes: entry.sizeBytes,
  };
}
