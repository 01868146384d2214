/** Tables of `lakefs.db`. Paths are compared as bytes (SQLite's BINARY collation over UTF-8), as lakeFS does. */
export const schema = `
CREATE TABLE IF NOT EXISTS users (
  access_key_id TEXT PRIMARY KEY, secret_access_key TEXT NOT NULL, name TEXT NOT NULL, created_s INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS namespaces (name TEXT PRIMARY KEY) STRICT;
CREATE TABLE IF NOT EXISTS repositories (
  name TEXT PRIMARY KEY, storage_namespace TEXT NOT NULL, default_branch TEXT NOT NULL, created_s INTEGER NOT NULL,
  read_only INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS commits (
  repository TEXT NOT NULL REFERENCES repositories ON DELETE CASCADE, id TEXT NOT NULL, committer TEXT NOT NULL,
  message TEXT NOT NULL, created_s INTEGER NOT NULL, tree_id TEXT NOT NULL, parents TEXT NOT NULL,
  metadata TEXT NOT NULL, generation INTEGER NOT NULL, PRIMARY KEY (repository, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS branches (
  repository TEXT NOT NULL REFERENCES repositories ON DELETE CASCADE, name TEXT NOT NULL, commit_id TEXT NOT NULL,
  hidden INTEGER NOT NULL, PRIMARY KEY (repository, name),
  FOREIGN KEY (repository, commit_id) REFERENCES commits (repository, id) DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tags (
  repository TEXT NOT NULL REFERENCES repositories ON DELETE CASCADE, name TEXT NOT NULL, commit_id TEXT NOT NULL,
  PRIMARY KEY (repository, name),
  FOREIGN KEY (repository, commit_id) REFERENCES commits (repository, id) DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS staged (
  repository TEXT NOT NULL, branch TEXT NOT NULL, path TEXT NOT NULL, entry TEXT,
  PRIMARY KEY (repository, branch, path),
  FOREIGN KEY (repository, branch) REFERENCES branches ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS trees (
  repository TEXT NOT NULL REFERENCES repositories ON DELETE CASCADE, id TEXT NOT NULL, ranges TEXT NOT NULL,
  PRIMARY KEY (repository, id)
) STRICT;
CREATE TABLE IF NOT EXISTS ranges (
  repository TEXT NOT NULL REFERENCES repositories ON DELETE CASCADE, id TEXT NOT NULL, entries TEXT NOT NULL,
  PRIMARY KEY (repository, id)
) STRICT;
CREATE TABLE IF NOT EXISTS protection (
  repository TEXT NOT NULL REFERENCES repositories ON DELETE CASCADE, pattern TEXT NOT NULL,
  PRIMARY KEY (repository, pattern)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS protection_set (
  repository TEXT PRIMARY KEY REFERENCES repositories ON DELETE CASCADE
) STRICT;
CREATE TABLE IF NOT EXISTS runs (
  repository TEXT NOT NULL REFERENCES repositories ON DELETE CASCADE, id TEXT NOT NULL, branch TEXT NOT NULL,
  commit_id TEXT NOT NULL, event TEXT NOT NULL, start_ms INTEGER NOT NULL, end_ms INTEGER NOT NULL,
  passed INTEGER NOT NULL, PRIMARY KEY (repository, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS hook_runs (
  repository TEXT NOT NULL, run_id TEXT NOT NULL, id TEXT NOT NULL, action TEXT NOT NULL, hook_id TEXT NOT NULL,
  start_ms INTEGER NOT NULL, end_ms INTEGER NOT NULL, status TEXT NOT NULL, output TEXT NOT NULL,
  PRIMARY KEY (repository, run_id, id),
  FOREIGN KEY (repository, run_id) REFERENCES runs ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
`;
