import { LakefsError, type LakefsErrorCode } from "@perago/lakefs-sync";
import { AttemptError, type FailureCode } from "../failure.ts";

/**
 * What an answer means wherever it comes from: staging meets hooks (pre-create-branch, pre-commit; case L08) and
 * read-only repositories (case A09) before the merge does (rule C8).
 */
const everywhere: Partial<Record<LakefsErrorCode, FailureCode>> = {
  hook_refused: "hook_refused",
  read_only: "target_protected",
};

/** Turns a refusal of lakeFS into the attempt's own words; `codes` says what single answers mean here. */
export function attemptError(error: unknown, codes: Partial<Record<string, FailureCode>> = {}): unknown {
  if (!(error instanceof LakefsError)) return error;
  const code = codes[error.code] ?? everywhere[error.code] ?? "server_unavailable";
  return new AttemptError({ code, message: error.message, hint: error.hint }, { cause: error });
}

/** Runs a call and throws `AttemptError` for what lakeFS refuses. */
export async function asAttempt<T>(call: Promise<T>, codes: Partial<Record<string, FailureCode>> = {}): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw attemptError(error, codes);
  }
}
