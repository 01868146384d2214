import type { OwnDelivery, PublishRefusal, RefusalReason } from "./publish-decision.ts";

const NAMED_TEXT_MAX_LENGTH = 80;

const WHAT: Readonly<Record<RefusalReason, string>> = {
  broken_chain: "the log is no first-parent chain",
  input_ref_not_found: "the input commit is not in the target's first-parent log",
  too_many_commits: "more than 1024 commits since the input commit",
  foreign_commit: "a foreign commit since the input commit",
  try_commit: "a staging commit since the input commit",
  missing_metadata: "a commit with missing metadata since the input commit",
  malformed_metadata: "a commit with malformed metadata since the input commit",
  other_prefix: "an own commit changed another prefix",
  publish_race: "an own commit is not on the head that it expected",
  newer_delivery: "a newer delivery has published",
};

/**
 * The publish fence does not let this attempt publish. Codes as in rule R7; `hint` says the mend (rule R3). An
 * `OwnDelivery` that its caller cannot adopt is `already_published` (rule P9).
 */
export class PublishFenceError extends Error {
  readonly code: "publish_fence" | "superseded_by_newer" | "already_published";
  /** Why, in one word of the fence's own list. */
  readonly reason: RefusalReason | "already_published";
  readonly hint: string;

  constructor(decision: PublishRefusal | OwnDelivery) {
    const refused = decision.kind === "refuse";
    const what = refused ? WHAT[decision.reason] : "this delivery has already published";
    super(`${what}${named(decision)}; head ${oneLine(decision.head)}`);
    this.name = "PublishFenceError";
    this.code = refused ? decision.code : "already_published";
    this.reason = refused ? decision.reason : "already_published";
    this.hint = hintOf(this.code, decision.head);
  }
}

function hintOf(code: PublishFenceError["code"], head: string): string {
  if (code === "superseded_by_newer") return "nothing to do: the newer delivery's output stands";
  return `start a new workflow whose input ref is the protected head ${oneLine(head)}`;
}

function named({ commit }: PublishRefusal | OwnDelivery): string {
  if (commit === undefined) return "";
  const by = commit.committer ? ` by ${oneLine(commit.committer)}` : "";
  const message = commit.message ? ` "${oneLine(commit.message)}"` : "";
  return `: ${oneLine(commit.id)}${by}${message}`;
}

/** Other people's words go into logs: one short line of whole letters, no control characters. */
function oneLine(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
  const letters = Array.from(line);
  return letters.length <= NAMED_TEXT_MAX_LENGTH ? line : `${letters.slice(0, NAMED_TEXT_MAX_LENGTH).join("")}...`;
}
