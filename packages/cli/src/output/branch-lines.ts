import type { BranchContent, SweptBranch } from "@perago/worker";
import { shownAge } from "./age.ts";
import { labelled, oneLine } from "./finding-lines.ts";
import type { Output } from "./style.ts";

const OUTCOMES = {
  removing: "removed",
  would_remove: "would be removed",
  kept: "kept",
  failed: "not removed",
} as const;
const REASONS = {
  young: "younger than the TTL",
  held: "held by this host",
  not_ours: "not Perago's alone: somebody made it, or has committed to it",
} as const;

/** What became of one branch, and what it held. Names and texts are other people's: no control character is shown. */
export function branchLines(output: Output, branch: SweptBranch): string {
  const { name, outcome, why, ageMs, content, error } = branch;
  const age = ageMs === undefined ? "" : `  ${shownAge(ageMs)} old`;
  const reason = why === undefined ? "" : `: ${REASONS[why]}`;
  const label = outcome === "failed" ? "error" : "ok";
  const under = [
    ...(content === undefined ? [] : contentLines(content)),
    ...(error === undefined ? [] : [oneLine(error instanceof Error ? error.message : String(error))]),
  ];
  const where = `${output.paint("name", oneLine(name))}${age}`;
  return labelled(output, label, `${where}  ${OUTCOMES[outcome]}${reason}`, under);
}

function contentLines(content: BranchContent): string[] {
  const { stagingCommit, task, workflowInstanceId, retryCount, targetBranch } = content;
  const lines: string[] = [];
  if (stagingCommit !== undefined) {
    const attempt = `${task ?? "?"}, attempt ${retryCount ?? "?"} of workflow ${workflowInstanceId ?? "?"}`;
    lines.push(oneLine(`staged by ${attempt}, for ${targetBranch ?? "?"}: commit ${stagingCommit}`));
  }
  const { uncommittedCount, moreUncommitted, uncommittedPaths } = content;
  if (uncommittedCount === 0) return lines;
  const count = `${uncommittedCount}${moreUncommitted ? " or more" : ""}`;
  const more = uncommittedCount > uncommittedPaths.length || moreUncommitted ? ", ..." : "";
  return [...lines, oneLine(`not committed: ${count} (${uncommittedPaths.join(", ")}${more})`)];
}
