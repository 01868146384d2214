import { isStagingBranchName } from "@perago/fence";
import { compileGlob } from "@perago/taskdef";
import type { Failure } from "../../failure.ts";
import { failure } from "./ending.ts";
import type { AttemptFacts } from "./facts.ts";
import type { WorkspaceInput } from "./state.ts";

/**
 * Rule I7: nothing where an attempt may work with the target that its input names. A staging branch is refused
 * whatever the setting says: it is another execution's, and may be deleted at any time.
 */
export function targetRefusal({ allowedTargets }: AttemptFacts, input: WorkspaceInput): Failure | undefined {
  const target = `${input.repository}/${input.branch}`;
  if (isStagingBranchName(input.branch)) {
    const message = `workspace.branch ${target} is a staging branch of Perago`;
    return failure("target_not_allowed", message, "start a new workflow with the branch that its data is published to");
  }
  if (allowedTargets === undefined || allowedTargets.some((pattern) => compileGlob(pattern).matches(target))) {
    return undefined;
  }
  const message = `the target ${target} is not among those that this host may publish to`;
  const hint = "correct workspace.repository or workspace.branch, or add the target to PERAGO_ALLOWED_TARGETS";
  return failure("target_not_allowed", message, hint);
}
