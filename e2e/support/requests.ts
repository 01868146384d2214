import type { SeenRequest } from "./proxy.ts";

/** The part of a request that says what it is. */
type Asked = Pick<SeenRequest, "method" | "path">;

/** lakeFS: the merge of a staging commit. */
export function isMerge({ method, path }: Asked): boolean {
  return method === "POST" && /\/refs\/[0-9a-f]{64}\/merge\/[-\w]+$/.test(path);
}

/** lakeFS: the merge into one branch. */
export function isMergeInto(branch: string): (request: Asked) => boolean {
  return (request) => isMerge(request) && request.path.endsWith(`/merge/${branch}`);
}

/** lakeFS: the commit of a staging branch. */
export function isStagingCommit({ method, path }: Asked): boolean {
  return method === "POST" && /\/branches\/perago-stg-[^/]+\/commits$/.test(path);
}

/** lakeFS: the diff from the base to the staging commit (rule T13). */
export function isStagingDiff({ method, path }: Asked): boolean {
  return method === "GET" && /\/refs\/[0-9a-f]{64}\/diff\/[0-9a-f]{64}$/.test(path);
}

/** lakeFS: the head of a branch, which the publish fence decides on. */
export function isHeadOf(branch: string): (request: Asked & Pick<SeenRequest, "query">) => boolean {
  return ({ method, path, query }) =>
    method === "GET" && path.endsWith("/branches") && new URLSearchParams(query).get("prefix") === branch;
}

/** lakeFS: a page of a commit's log, as the publish fence reads it (rule P6). */
export function isLogPage({ method, path }: Asked): boolean {
  return method === "GET" && /\/refs\/[0-9a-f]{64}\/commits$/.test(path);
}

/** lakeFS: the bytes of an object; not of an action, which the hard fence reads (rule H3). */
export function isDownload({ method, path, query }: Pick<SeenRequest, "method" | "path" | "query">): boolean {
  return method === "GET" && path.endsWith("/objects") && !query.includes("_lakefs_actions");
}

/** Conductor: a heartbeat or a result. */
export function isUpdate({ method, path }: Asked): boolean {
  return method === "POST" && path === "/api/tasks";
}

/** Conductor: a result. */
export function isResult(request: Asked & Pick<SeenRequest, "body">): boolean {
  return isUpdate(request) && "status" in updateOf(request.body);
}

/** The JSON of an update that went over the wire. */
export function updateOf(body: string): Readonly<Record<string, unknown>> {
  const parsed: unknown = JSON.parse(body);
  return typeof parsed === "object" && parsed !== null ? { ...parsed } : {};
}

/** Conductor: a poll that waits for work. */
export function isWaitingPoll({ method, path, query }: Asked & Pick<SeenRequest, "query">): boolean {
  return method === "GET" && path.startsWith("/api/tasks/poll/") && !/[?&]timeout=0(&|$)/.test(query);
}
