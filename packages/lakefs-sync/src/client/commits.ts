import type { HttpClient } from "./http.ts";
import { maxPageEntryCount, walkPages } from "./pages.ts";
import { commitOf, pageOf } from "./shapes.ts";
import type { CallOptions, Commit } from "./types.ts";

/** lakeFS `getCommit`. The server takes branch names and short ids here too: check the form first (rule I4). */
export function getCommit(
  http: HttpClient,
  repository: string,
  commitId: string,
  options: CallOptions = {},
): Promise<Commit> {
  const segments = ["repositories", repository, "commits", commitId];
  return http.json({ operation: "getCommit", method: "GET", segments, repeat: "safe" }, options, commitOf);
}

/** Which part of the history a log shows. */
export interface LogFilter {
  /** Follow first parents only. Default false, as in lakeFS. */
  readonly firstParent?: boolean;
  /** Last commit of the log, included in it (lakeFS `stop_at`). */
  readonly stopAt?: string;
  /** Commits asked for in all; the pages end there. Default: no bound of its own. */
  readonly maxCommitCount?: number;
}

/** lakeFS `logCommits`, newest first, page by page (case B12). */
export async function* logCommits(
  http: HttpClient,
  repository: string,
  ref: string,
  filter: LogFilter = {},
  options: CallOptions = {},
): AsyncGenerator<readonly Commit[]> {
  const segments = ["repositories", repository, "refs", ref, "commits"];
  const wanted = filter.maxCommitCount ?? Number.MAX_SAFE_INTEGER;
  let count = 0;
  const pages = walkPages("logCommits", `${repository}/${ref}`, (after) => {
    const amount = Math.min(maxPageEntryCount, wanted - count);
    const query = { after, amount, first_parent: filter.firstParent ?? false, stop_at: filter.stopAt };
    const spec = { operation: "logCommits", method: "GET", segments, query, repeat: "safe" } as const;
    return http.json(spec, options, (value) => pageOf(value, commitOf));
  });
  for await (const page of pages) {
    count += page.length;
    yield page;
    if (count >= wanted) return;
  }
}

/** A commit to be made. */
export interface CommitCreation {
  readonly message: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Commit although nothing changed. Default false. */
  readonly allowEmpty?: boolean;
}

/** lakeFS `commit`. Sent once: after an unknown outcome read the branch. */
export function commit(
  http: HttpClient,
  repository: string,
  branch: string,
  creation: CommitCreation,
  options: CallOptions = {},
): Promise<Commit> {
  const segments = ["repositories", repository, "branches", branch, "commits"];
  const json = {
    message: creation.message,
    metadata: creation.metadata ?? {},
    allow_empty: creation.allowEmpty ?? false,
    force: false,
  };
  return http.json({ operation: "commit", method: "POST", segments, json, repeat: "never" }, options, commitOf);
}
