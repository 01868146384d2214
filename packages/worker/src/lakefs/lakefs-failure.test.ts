import { LakefsError, type LakefsErrorCode } from "@perago/lakefs-sync";
import { expect, test } from "vitest";
import { AttemptError } from "../failure.ts";
import { asAttempt, attemptError } from "./lakefs-failure.ts";

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
