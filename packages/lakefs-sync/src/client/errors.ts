import { visibleLine } from "../words.ts";

/**
 * What kind of answer a failed call got.
 * - `unreachable`: no connection was made, so nothing was done
 * - `unknown`: time-out, dropped connection, 499 or 5xx: it may or may not have been done (rule C5)
 * - `bad_response`: an answer that is not what lakeFS says it answers (a proxy's page, cut JSON)
 * - `conflict` is a merge conflict, `already_exists` a name that is taken
 */
export type LakefsErrorCode =
  | "unreachable"
  | "unknown"
  | "bad_response"
  | "aborted"
  | "not_found"
  | "gone"
  | "conflict"
  | "already_exists"
  | "hook_refused"
  | "precondition"
  | "busy"
  | "unauthorized"
  | "protected_branch"
  | "read_only"
  | "forbidden"
  | "dirty"
  | "no_changes"
  | "bad_ref"
  | "bad_request"
  | "address_expired"
  | "too_large"
  | "range";

/** What is known about the effect of a failed call: refused by the server, never sent, or unknown. */
export type LakefsOutcome = "refused" | "not_sent" | "unknown";

/** Fields of a {@link LakefsError}, plain enough to cross a thread border. */
export interface LakefsErrorFields {
  readonly code: LakefsErrorCode;
  /** HTTP status; 0 where there was none. */
  readonly status: number;
  /** lakeFS' own name of the operation, e.g. `mergeIntoBranch`. */
  readonly operation: string;
  readonly message: string;
  readonly hint: string;
  /** The same call may succeed later. It does not say that repeating a merge or commit is safe. */
  readonly retryable: boolean;
  readonly outcome: LakefsOutcome;
  /** Wait that the server asked for (Retry-After), in milliseconds. */
  readonly retryAfterMs?: number;
}

/** A failed lakeFS call. Holds no secret and no query of a presigned address (cases A01, A02). */
export class LakefsError extends Error implements LakefsErrorFields {
  override readonly name = "LakefsError";
  readonly code: LakefsErrorCode;
  readonly status: number;
  readonly operation: string;
  readonly hint: string;
  readonly retryable: boolean;
  readonly outcome: LakefsOutcome;
  readonly retryAfterMs?: number;

  constructor(fields: LakefsErrorFields) {
    super(visibleLine(fields.message));
    this.code = fields.code;
    this.status = fields.status;
    this.operation = fields.operation;
    this.hint = fields.hint;
    this.retryable = fields.retryable;
    this.outcome = fields.outcome;
    if (fields.retryAfterMs !== undefined) this.retryAfterMs = fields.retryAfterMs;
  }

  /** The fields as plain data, for a thread border or a log line. */
  toFields(): LakefsErrorFields {
    const { code, status, operation, message, hint, retryable, outcome } = this;
    const plain = { code, status, operation, message, hint, retryable, outcome };
    return this.retryAfterMs === undefined ? plain : { ...plain, retryAfterMs: this.retryAfterMs };
  }
}
