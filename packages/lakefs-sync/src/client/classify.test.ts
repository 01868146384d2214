import { expect, test } from "vitest";
import { classifyAnswer } from "./classify.ts";

const rows: [status: number, words: string, code: string, outcome: string, retryable: boolean][] = [
  [400, "commit: no changes", "no_changes", "refused", false],
  [400, "uncommitted changes (dirty branch)", "dirty", "refused", false],
  [400, "ref: invalid value", "bad_ref", "refused", false],
  [400, "something else", "bad_request", "refused", false],
  [401, "error authenticating request", "unauthorized", "refused", false],
  [401, "insufficient permissions", "forbidden", "refused", false],
  [403, "cannot write to protected branch", "protected_branch", "refused", false],
  [403, "read-only repository", "read_only", "refused", false],
  [403, "session expired", "unauthorized", "refused", false],
  [403, "no", "forbidden", "refused", false],
  [404, "branch not found", "not_found", "refused", false],
  [408, "", "unknown", "unknown", true],
  [410, "No data", "gone", "refused", false],
  [412, "pre-merge hook aborted, run id 'x': no", "hook_refused", "refused", false],
  [412, "Precondition failed", "precondition", "refused", false],
  [413, "Request Entity Too Large", "too_large", "refused", false],
  [416, "Requested Range Not Satisfiable", "range", "refused", false],
  [423, "too many tries", "busy", "refused", true],
  [429, "Too many attempts, try again later", "busy", "refused", true],
  [499, "Client closed request", "unknown", "unknown", true],
  [500, "update branch: predicate failed", "unknown", "unknown", true],
  [500, "branch is currently locked, try again later", "unknown", "unknown", true],
  [502, "", "unknown", "unknown", true],
  [503, "Slow down", "unknown", "unknown", true],
  [504, "", "unknown", "unknown", true],
  [302, "", "bad_response", "unknown", true],
];

test.for(rows)("rule C5 case A09: %s %s is %s", ([status, words, code, outcome, retryable]) => {
  const answer = { operation: "mergeIntoBranch", subject: "r/s into main", status, words, isMergeResult: false };
  expect(classifyAnswer(answer)).toMatchObject({ code, outcome, retryable, status });
});

test("fault E3: a 409 is a conflict where its body is a merge result, else a name that is taken", () => {
  const base = { operation: "mergeIntoBranch", subject: "r", status: 409, words: "" };
  expect(classifyAnswer({ ...base, isMergeResult: true }).code).toBe("conflict");
  expect(classifyAnswer({ ...base, isMergeResult: false }).code).toBe("already_exists");
});

test("the message names operation, subject, status and the server's words", () => {
  const answer = {
    operation: "commit",
    subject: "r/b",
    status: 412,
    words: "pre-commit hook aborted",
    isMergeResult: false,
  };
  expect(classifyAnswer(answer).message).toBe("lakeFS commit r/b answered 412: pre-commit hook aborted");
});
