/** Which of the two servers. */
export type ServerName = "lakefs" | "conductor";

/** Which requests a fault is for; what is left out matches all. */
export interface RequestMatch {
  /** Only this server. */
  readonly server?: ServerName;
  /** Only this method, such as `POST`. */
  readonly method?: string;
  /** Only paths (with the query) that match, or that contain this text. */
  readonly path?: RegExp | string;
  /** The first matching request that is hit, counted from 1; default 1. */
  readonly nth?: number;
  /** How many matching requests from there are hit; default 1. */
  readonly times?: number;
}

/** What happens to a request that is hit. */
export type FaultAction =
  /** The connection is reset before the request is performed. */
  | { readonly kind: "drop-request" }
  /** The request is performed, then the connection is reset without an answer. */
  | { readonly kind: "drop-answer" }
  /** The request waits (real time) before it is performed, or its answer does after it. */
  | { readonly kind: "delay"; readonly delayMs: number; readonly when: "before" | "after" }
  /** The request is performed; of the answer's body this many bytes arrive, then the connection is reset. */
  | { readonly kind: "cut-body"; readonly afterBytes: number }
  /** This is answered; the request is performed before that only where `performed` says so. */
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly performed?: boolean;
    };

/** One fault: which requests, and what happens to them. */
export type Fault = RequestMatch & FaultAction;

/** A request as faults see it. */
export interface SeenRequest {
  readonly server: ServerName;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
}

/** Is this request of the kind that the fault is for (its counting aside)? */
export function matches(match: RequestMatch, request: SeenRequest): boolean {
  if (match.server !== undefined && match.server !== request.server) return false;
  if (match.method !== undefined && match.method.toUpperCase() !== request.method.toUpperCase()) return false;
  if (match.path === undefined) return true;
  if (typeof match.path === "string") return request.path.includes(match.path);
  return request.path.search(match.path) >= 0;
}
