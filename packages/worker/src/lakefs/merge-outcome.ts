import { LakefsError, type LakefsErrorCode } from "@perago/lakefs-sync";
import type { MergeOutcome } from "../attempt/ports/target-store.ts";
import type { FailureCode } from "../failure.ts";
import { isHardFenceRefusal } from "./hard-fence.ts";

/** Rule C8: each refusal of a merge has its own code. What is not listed and was refused is `server_unavailable`. */
const codes: Partial<Record<LakefsErrorCode, FailureCode>> = {
  conflict: "merge_conflict",
  dirty: "target_dirty",
  protected_branch: "target_protected",
  read_only: "target_protected",
  hook_refused: "hook_refused",
  precondition: "hook_refused",
  not_found: "publish_fence",
};

/** Wait after a busy answer without Retry-After, spread by `random` so that racing workers part (rule C8, case L06). */
const busyDelayMs = 200;
const busySpreadMs = 800;

/** What a failed merge request came to. Pure. Everything that is not a plain refusal is unknown (rule C5). */
export function mergeOutcome(error: unknown, random: number): MergeOutcome {
  if (!(error instanceof LakefsError)) {
    return { kind: "unknown", message: error instanceof Error ? error.name : "no answer" };
  }
  const { code, message, hint, retryAfterMs } = error;
  if (code === "busy") {
    return { kind: "busy", message, retryAfterMs: retryAfterMs ?? busyDelayMs + Math.floor(random * busySpreadMs) };
  }
  if (error.outcome === "unknown") return { kind: "unknown", message };
  // Rule H1: of all hooks, this one says that the head moved.
  if (isHardFenceRefusal(error)) {
    return { kind: "refused", code: "publish_fence", message, hint: "start a new workflow from the protected head" };
  }
  return { kind: "refused", code: codes[code] ?? "server_unavailable", message, hint };
}
