/** A request on the wire, as far as it says what it is. */
interface Wire {
  readonly method: string;
  readonly path: string;
  /** With its question mark, or empty. */
  readonly query: string;
  readonly body: string;
}

/** What a host asks of the two servers, by what it is for. */
export const REQUEST_KINDS = [
  "poll",
  "heartbeat",
  "report",
  "read_task",
  "download",
  "upload",
  "create_staging",
  "commit_staging",
  "merge",
  "read_branch",
  "read_log",
  "delete_staging",
] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/** Which of them a request is; undefined for the rest. */
export function requestKind({ method, path, query, body }: Wire): RequestKind | undefined {
  if (/\/tasks\/poll\//.test(path)) return "poll";
  if (method === "POST" && path.endsWith("/tasks")) return body.includes('"extendLease":true') ? "heartbeat" : "report";
  if (method === "GET" && /\/tasks\/[^/]+$/.test(path)) return "read_task";
  if (method === "POST" && /\/refs\/[^/]+\/merge\//.test(path)) return "merge";
  if (method === "GET" && /\/refs\/[^/]+\/commits$/.test(path)) return "read_log";
  if (method === "GET" && /\/refs\/[^/]+\/objects$/.test(path)) return "download";
  if (path.endsWith("/branches")) return ofBranches(method, query);
  if (!/\/branches\//.test(path)) return undefined;
  if (path.endsWith("/commits")) return "commit_staging";
  if (/\/objects$|\/staging\/backing$/.test(path)) return method === "GET" ? undefined : "upload";
  return method === "DELETE" ? "delete_staging" : undefined;
}

/** A listing of one name is how a head is read; of more, how staging branches are found. */
function ofBranches(method: string, query: string): RequestKind | undefined {
  if (method === "POST") return "create_staging";
  return new URLSearchParams(query).get("amount") === "1" ? "read_branch" : undefined;
}
