import type { OwnDelivery, PublishRefusal, RefusalReason } from "./publish-decision.ts";

const NAMED_TEXT_MAX_LENGTH = 80;

const WHAT: Readonly<Record<RefusalReason, string>> = {
  broken_chain: "the log from the head is no first-parent chain",
  input_ref_not_found: "the input commit is not in the first-parent history of the head",
  too_many_commits: "more than 1024 commits lie between the input commit and the head",
  foreign_commit: "a commit that is not of this logical task lies in the range",
  try_commit: "a staging commit lies in the range",
  missing_metadata: "a commit without needed perago.* metadata lies in the range",
  malformed_metadata: "a commit with malformed perago.* metadata lies in the range",
  other_prefix: "a commit of this logical task changed another prefix",
  publish_race: "a commit of this logical task lies on a head that its fence had not seen",
  newer_delivery: "a newer delivery of this logical task has published",
};

/** The publish fence refused: nothing was published by this attempt. Codes as in rule R7; `hint` says the mend (rule R3). */
export class PublishFenceError extends Error {
  readonly code: "publish_fence" | "superseded_by_newer" | "already_published";
  /** Why, in one word of the fence's own list. */
  readonly reason: RefusalReason | "already_published";
  readonly hint: string;

  constructor(decision: PublishRefusal | OwnDelivery) {
    const refused = decision.kind === "refuse";
    const what = refused ? WHAT[decision.reason] : "this delivery has already published another content";
    super(`${what}${named(decision)}; head ${brief(decision.head)}`);
    this.name = "PublishFenceError";
    this.code = refused ? decision.code : "already_published";
    this.reason = refused ? decision.reason : "already_published";
    this.hint = hintOf(this.code, decision.head);
  }
}

function hintOf(code: PublishFenceError["code"], head: string): string {
  if (code === "superseded_by_newer") return "nothing to do: the newer delivery's output stands";
  return `start a new workflow whose input ref is the protected head ${brief(head)}`;
}

function named({ commit }: PublishRefusal | OwnDelivery): string {
  if (commit === undefined) return "";
  const by = commit.committer ? ` by ${oneLine(commit.committer)}` : "";
  const message = commit.message ? ` "${oneLine(commit.message)}"` : "";
  return `: ${brief(commit.id)}${by}${message}`;
}

/** Other people's words go into logs: one short line, no control characters. */
function oneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  const letters = Array.from(line);
  return letters.length <= NAMED_TEXT_MAX_LENGTH ? line : `${letters.slice(0, NAMED_TEXT_MAX_LENGTH).join("")}...`;
}

function brief(id: string): string {
  return oneLine(id).slice(0, 64);
}
