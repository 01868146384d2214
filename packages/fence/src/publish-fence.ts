import { classifyCommit } from "./classify-commit.ts";
import type { FenceCommit } from "./commit.ts";
import { normalisePrefix } from "./prefix.ts";
import type { PublishDecision, PublishRange, PublishRefusal, RefusalReason } from "./publish-decision.ts";

/** Most commits that are walked from the head, the input ref not counted (rule P2, case L22). */
export const MAX_WALKED_COMMITS = 1024;

/**
 * The publish fence: may this attempt advance the target from `head`? (rules P1 to P4 and P8 to P10.)
 *
 * The whole range is read before anything is decided. Of several reasons the first counts, in the order P3, P4, P10
 * (hard fence only), P8, P9: P10 stands before P8 and P9 because both trust the chain, and P9 would adopt a commit that
 * the server cannot have let in. Of several commits with one reason the newest is named. It is pure (rule P7) and never
 * throws on what a commit holds.
 */
export function classifyPublish(range: PublishRange): PublishDecision {
  const { inputRef, head, commits, hardFence } = range;
  const newest = commits[0];
  if (newest !== undefined && newest.id !== head) return refuse(head, "P3", "broken_chain", newest);
  if (head === inputRef && head !== "") return { kind: "publish", rule: "P1", head, supersedes: "", races: [] };

  const walkedCount = countWalked(range);
  if (typeof walkedCount === "string") return refuse(head, "P3", walkedCount, newest);

  const found = readRange(range, walkedCount);
  if (found.p3 !== undefined) return refuse(head, "P3", found.p3.reason, found.p3.commit);
  if (found.otherPrefix !== undefined) return refuse(head, "P4", "other_prefix", found.otherPrefix);
  if (hardFence && found.races[0] !== undefined) return refuse(head, "P10", "publish_race", found.races[0]);
  if (found.newer !== undefined) return refuse(head, "P8", "newer_delivery", found.newer);
  const races = found.races.map((commit) => commit.id);
  if (found.own !== undefined) {
    return { kind: "own_delivery", rule: "P9", head, commit: found.own, isHead: found.own.id === head, races };
  }
  return { kind: "publish", rule: "P2", head, supersedes: head, races };
}

/** How many commits lie before the input ref, or why the range cannot be read (rule P3). */
function countWalked({ inputRef, commits }: PublishRange): number | RefusalReason {
  for (let index = 0; index <= MAX_WALKED_COMMITS; index += 1) {
    const commit = commits[index];
    if (commit === undefined) return "input_ref_not_found";
    if (commit.id === inputRef) return index;
    const next = commits[index + 1];
    if (next !== undefined && commit.parents[0] !== next.id) return "broken_chain";
  }
  return "too_many_commits";
}

/** The newest commit for each reason. */
interface Found {
  p3?: { readonly reason: RefusalReason; readonly commit: FenceCommit };
  otherPrefix?: FenceCommit;
  newer?: FenceCommit;
  own?: FenceCommit;
  readonly races: FenceCommit[];
}

function readRange(range: PublishRange, walkedCount: number): Found {
  const self = { ...range.self, prefix: normalisePrefix(range.self.prefix) };
  const found: Found = { races: [] };
  for (const commit of range.commits.slice(0, walkedCount)) {
    const finding = classifyCommit(commit, self);
    if (finding.kind === "refuse") {
      found.p3 ??= { reason: finding.reason, commit };
      continue;
    }
    if (finding.otherPrefix) found.otherPrefix ??= commit;
    if (finding.newer) found.newer ??= commit;
    if (finding.sameDelivery) found.own ??= commit;
    if (finding.race) found.races.push(commit);
  }
  return found;
}

function refuse(
  head: string,
  rule: PublishRefusal["rule"],
  reason: RefusalReason,
  commit: FenceCommit | undefined,
): PublishRefusal {
  const code = rule === "P8" ? "superseded_by_newer" : "publish_fence";
  if (commit === undefined) return { kind: "refuse", code, rule, reason, head };
  const named = { id: commit.id, message: commit.message ?? "", committer: commit.committer ?? "" };
  return { kind: "refuse", code, rule, reason, head, commit: named };
}
