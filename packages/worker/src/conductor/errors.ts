/** What stood between a request and its answer. */
export type ConductorErrorCode =
  /** No connection was made: the request was never sent. */
  | "conductor_unreachable"
  /** The request may have been sent, and no whole answer came in time. */
  | "conductor_no_answer"
  /** The engine, or something before it, answered with an error status. */
  | "conductor_refused"
  /** The key pair was not accepted. */
  | "conductor_unauthorized"
  /** An answer that is not what the engine sends, such as a page of a proxy. */
  | "conductor_unreadable";

/** A failed request to Conductor (fault E5, fault E7). `hint` is the mend. Never carries a key or a token. */
export class ConductorError extends Error {
  readonly code: ConductorErrorCode;
  readonly hint: string;
  /** HTTP status, where there was an answer. */
  readonly status: number | undefined;
  /** Whether sending the same request again later may succeed (case R14, case R18). */
  readonly retryable: boolean;
  /** True when the request can still reach the engine, or has reached it, without our knowing (rule R4). */
  readonly mayHaveLanded: boolean;

  constructor(fields: {
    readonly code: ConductorErrorCode;
    readonly message: string;
    readonly hint: string;
    readonly status?: number;
    readonly retryable: boolean;
    readonly mayHaveLanded: boolean;
  }) {
    super(fields.message);
    this.name = "ConductorError";
    this.code = fields.code;
    this.hint = fields.hint;
    this.status = fields.status;
    this.retryable = fields.retryable;
    this.mayHaveLanded = fields.mayHaveLanded;
  }
}
