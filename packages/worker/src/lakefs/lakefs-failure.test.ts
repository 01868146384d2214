import { LakefsError, type LakefsErrorCode } from "@perago/lakefs-sync";
import { expect, test } from "vitest";
import { AttemptError } from "../failure.ts";
import { asAttempt, attemptError } from "./lakefs-failure.ts";
import { mergeOutcome } from "./merge-outcome.ts";

function refusal(code: LakefsErrorCode): LakefsError {
  const fields = { status: 400, operation: "createBranch", message: `said ${code}`, hint: "mend", retryable: false };
  return new LakefsError({ ...fields, code, outcome: "refused" });
}

test("rule C8, case L08, case A09: a hook and a read-only repository have their own codes before the merge too", () => {
  expect(attemptError(refusal("hook_refused"))).toMatchObject({ code: "hook_refused", message: "said hook_refused" });
  expect(attemptError(refusal("read_only"))).toMatchObject({ code: "target_protected", hint: "mend" });
  for (const code of ["unauthorized", "forbidden", "unreachable", "not_found"] as const) {
    expect(attemptError(refusal(code))).toMatchObject({ code: "server_unavailable" });
  }
});

test("rule R7: what a caller says of an answer wins, and what is no answer of lakeFS stays as it is", async () => {
  const own = asAttempt(Promise.reject(refusal("not_found")), { not_found: "publish_fence" });
  await expect(own).rejects.toBeInstanceOf(AttemptError);
  await expect(own).rejects.toMatchObject({ code: "publish_fence" });
  const other = new TypeError("x");
  expect(attemptError(other)).toBe(other);
});

test("rule H1, rule C8, fault D9: a refusal of the hard fence is publish_fence, another hook is not, a 500 is unknown", () => {
  const answer = { operation: "mergeIntoBranch", hint: "mend", retryable: false };
  const refused = (message: string): LakefsError =>
    new LakefsError({ ...answer, status: 412, message, code: "hook_refused", outcome: "refused" });
  const ours = "pre-merge hook aborted: runtime error: perago hard fence: the head of main is a, the merge expects b";
  expect(mergeOutcome(refused(ours), 0)).toMatchObject({ kind: "refused", code: "publish_fence", message: ours });
  const theirs = "pre-merge hook aborted: runtime error: a column is missing";
  expect(mergeOutcome(refused(theirs), 0)).toMatchObject({ kind: "refused", code: "hook_refused" });
  // The run's log could not be written, or the hook ran into its time limit: nobody knows what became of the merge.
  const unknown = new LakefsError({ ...answer, status: 500, message: ours, code: "unknown", outcome: "unknown" });
  expect(mergeOutcome(unknown, 0)).toEqual({ kind: "unknown", message: ours });
});
