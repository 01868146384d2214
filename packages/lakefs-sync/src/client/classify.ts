import type { LakefsErrorCode, LakefsErrorFields, LakefsOutcome } from "./errors.ts";

/** An answer with an error status, reduced to what decides its kind. */
export interface ErrorAnswer {
  /** Who answered; default "lakeFS". */
  readonly server?: string;
  readonly operation: string;
  /** What the call was about, e.g. `songs/main`; part of the message. */
  readonly subject: string;
  readonly status: number;
  /** The server's own words, already free of secrets; "" where it sent none. */
  readonly words: string;
  /** The body was a MergeResult: a merge conflict has no error body. */
  readonly isMergeResult: boolean;
  readonly retryAfterMs?: number;
}

const hints: Record<LakefsErrorCode, string> = {
  unreachable: "check the address and that lakeFS runs",
  unknown: "read the branch before anything is repeated; the request may have been carried out",
  bad_response: "check what stands between this host and lakeFS: the answer is not lakeFS' own",
  aborted: "the caller ended the call",
  not_found: "check the repository, ref and path",
  gone: "the data was removed by garbage collection; use a commit whose data is kept",
  conflict: "the destination changed the same paths; start again from its head",
  already_exists: "use another name",
  hook_refused: "see the hook's run in lakeFS; its words stand in the message",
  precondition: "the object or branch changed meanwhile",
  busy: "lakeFS is busy; try again later",
  unauthorized: "check the access key id and secret of this host",
  protected_branch: "data reaches a protected branch by merge only; check the branch protection rules",
  read_only: "the repository is read-only; use another one",
  forbidden: "the credentials lack a permission for this operation",
  dirty: "the branch has uncommitted changes; commit or reset them in lakeFS",
  no_changes: "there is nothing to commit or merge",
  bad_ref: "use an existing branch, tag or commit id",
  address_expired: "the upload took longer than its address was good for; try again with a fresh one",
  bad_request: "lakeFS refused the request as malformed",
  too_large: "a proxy before lakeFS refuses the size of the body; raise its limit",
  range: "the asked range lies outside the object",
};

/** The mend for a code. */
export function hintFor(code: LakefsErrorCode): string {
  return hints[code];
}

const retryableCodes: ReadonlySet<LakefsErrorCode> = new Set(["unreachable", "unknown", "bad_response", "busy"]);

/** Whether the same call may succeed later. */
export function isRetryable(code: LakefsErrorCode): boolean {
  return retryableCodes.has(code);
}

/** 403 has four meanings that only the words tell apart (case A09). */
function forbiddenCode(words: string): LakefsErrorCode {
  if (/read-only/i.test(words)) return "read_only";
  if (/protected branch/i.test(words)) return "protected_branch";
  if (/session expired/i.test(words)) return "unauthorized";
  return "forbidden";
}

function badRequestCode(words: string): LakefsErrorCode {
  if (/dirty branch|uncommitted changes/i.test(words)) return "dirty";
  if (/address.*expired|expired.*address|link address/i.test(words)) return "address_expired";
  if (/no changes/i.test(words)) return "no_changes";
  if (/\bref\b|commit id|branch id|reference to staging/i.test(words)) return "bad_ref";
  return "bad_request";
}

function codeOf(answer: ErrorAnswer): LakefsErrorCode {
  const { status, words } = answer;
  if (status >= 500 || status === 499 || status === 408) return "unknown";
  if (status === 400) return badRequestCode(words);
  if (status === 401) return /insufficient permissions/i.test(words) ? "forbidden" : "unauthorized";
  if (status === 403) return forbiddenCode(words);
  if (status === 404) return "not_found";
  if (status === 409) return answer.isMergeResult || /conflict found/i.test(words) ? "conflict" : "already_exists";
  if (status === 410) return "gone";
  if (status === 412) return /hook|action|aborted/i.test(words) ? "hook_refused" : "precondition";
  if (status === 413) return "too_large";
  if (status === 416) return "range";
  if (status === 423 || status === 429) return "busy";
  return status >= 400 ? "bad_request" : "bad_response";
}

/** rule C5: what the status says about whether the thing was done. */
function outcomeOf(code: LakefsErrorCode): LakefsOutcome {
  if (code === "unreachable") return "not_sent";
  return code === "unknown" || code === "bad_response" || code === "aborted" ? "unknown" : "refused";
}

/** Turns an error answer into the fields of a typed error. Pure. */
export function classifyAnswer(answer: ErrorAnswer): LakefsErrorFields {
  const code = codeOf(answer);
  const said = answer.words === "" ? "" : `: ${answer.words}`;
  const fields = {
    code,
    status: answer.status,
    operation: answer.operation,
    message: `${answer.server ?? "lakeFS"} ${answer.operation} ${answer.subject} answered ${answer.status}${said}`,
    hint: hintFor(code),
    retryable: isRetryable(code),
    outcome: outcomeOf(code),
  };
  return answer.retryAfterMs === undefined ? fields : { ...fields, retryAfterMs: answer.retryAfterMs };
}

/** Fields for a call that got no usable answer. Pure. */
export function classifyFailure(
  code: "unreachable" | "unknown" | "bad_response" | "aborted" | "busy",
  operation: string,
  message: string,
  extraHint = "",
): LakefsErrorFields {
  const hint = extraHint === "" ? hintFor(code) : `${hintFor(code)}; ${extraHint}`;
  return { code, status: 0, operation, message, hint, retryable: isRetryable(code), outcome: outcomeOf(code) };
}
