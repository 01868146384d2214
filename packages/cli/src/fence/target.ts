import { isHardFenceInForce, type HardFenceState } from "@perago/fence/hard-fence";
import { LakefsError, type LakefsClient } from "@perago/lakefs-sync";
import { probeHardFence, readHardFence } from "@perago/worker";
import type { Finding } from "../findings.ts";

/** A target as `perago fence` finds it. */
export interface FencedTarget {
  readonly repository: string;
  readonly branch: string;
  readonly head: string;
  readonly state: HardFenceState;
  /** Whether the server was seen to refuse by it (fault D7); undefined where there is nothing to try. */
  readonly isEnforced?: boolean;
  /** Whether a branch protection rule names the branch; undefined where the key may not read the rules. */
  readonly isProtected?: boolean;
}

/** Reads the hard fence, tries on a throw-away branch whether the server obeys it, and reads the protection. */
export async function lookAtTarget(client: LakefsClient, repository: string, branch: string): Promise<FencedTarget> {
  const { commit_id: head } = await client.getBranch(repository, branch);
  const at = { repository, branch, commitId: head };
  const state = await readHardFence(client, at);
  const isEnforced = isHardFenceInForce(state) ? await probeHardFence(client, at) : undefined;
  const isProtected = await readProtection(client, repository, branch);
  return {
    repository,
    branch,
    head,
    state,
    ...(isEnforced === undefined ? {} : { isEnforced }),
    ...(isProtected === undefined ? {} : { isProtected }),
  };
}

async function readProtection(client: LakefsClient, repository: string, branch: string): Promise<boolean | undefined> {
  try {
    const rules = await client.getBranchProtectionRules(repository);
    return rules.some(({ pattern }) => patternOf(pattern).test(branch));
  } catch (error) {
    if (error instanceof LakefsError && error.code === "forbidden") return undefined;
    throw error;
  }
}

/** lakeFS' patterns of branch protection: `*` and `?`; no other letter of a branch's name means anything. */
function patternOf(pattern: string): RegExp {
  const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll("*", ".*").replaceAll("?", ".")}$`);
}

/** What is wrong or doubtful with a target, each with its mend. */
export function targetFindings(target: FencedTarget): Finding[] {
  const { repository, branch, isEnforced, isProtected } = target;
  const findings = [...stateFindings(target)];
  if (isEnforced === false) {
    findings.push({
      severity: "error",
      code: "hard_fence_not_enforced",
      message: "the action is there, and lakeFS let a merge pass that it refuses",
      hint: "Set actions.enabled in the settings of lakeFS",
    });
  }
  if (isProtected !== true) {
    const unread = isProtected === undefined;
    findings.push({
      severity: unread ? "warning" : "error",
      code: unread ? "protection_unread" : "branch_unprotected",
      message: unread ? "this key may not read the branch protection rules" : `${branch} is not protected in lakeFS`,
      hint: `Protect it: lakectl branch-protect add lakefs://${repository} ${branch}`,
    });
  }
  return findings;
}

function stateFindings({ repository, branch, state }: FencedTarget): Finding[] {
  const install = `perago fence install lakefs://${repository}/${branch}`;
  const error = (code: string, message: string, hint: string): Finding[] => [
    { severity: "error", code, message, hint },
  ];
  switch (state.kind) {
    case "in_force":
      return [];
    case "older": {
      const flag = state.exclusive ? " --exclusive" : "";
      const message = `the action is of version ${state.version}: it holds, and there is a newer one`;
      return error("hard_fence_older", message, `Replace it: ${install}${flag}`);
    }
    case "newer":
      return error(
        "hard_fence_newer",
        `the action is of version ${state.version}, which this command does not know`,
        "Update this command",
      );
    case "edited":
      return error(
        "hard_fence_edited",
        "somebody edited the action: what it does is not known",
        `Look at it; then ${install} --force`,
      );
    case "missing":
      return error("hard_fence_missing", "the hard fence is not installed", `Install it: ${install}`);
  }
}
