import type { FenceCommit } from "./commit.ts";
import * as keys from "./metadata-keys.ts";
import { normalisePrefix } from "./prefix.ts";
import type { PublishSelf, RefusalReason } from "./publish-decision.ts";
import { ownValue, parseWhole } from "./read-metadata.ts";

/** What one walked commit says, whatever else stands in the range. `refuse` reasons are those of rule P3. */
export type CommitFinding =
  | { readonly kind: "refuse"; readonly reason: RefusalReason }
  | {
      readonly kind: "own";
      readonly otherPrefix: boolean;
      readonly race: boolean;
      readonly newer: boolean;
      readonly sameDelivery: boolean;
    };

const FOREIGN: CommitFinding = { kind: "refuse", reason: "foreign_commit" };
const TRY: CommitFinding = { kind: "refuse", reason: "try_commit" };
const MISSING: CommitFinding = { kind: "refuse", reason: "missing_metadata" };
const MALFORMED: CommitFinding = { kind: "refuse", reason: "malformed_metadata" };

/** Looks at one commit by itself. `self.prefix` must be normalised. Never throws, whatever the metadata holds. */
export function classifyCommit(commit: FenceCommit, self: PublishSelf): CommitFinding {
  const metadata = commit.metadata;
  if (ownValue(metadata, keys.CHERRY_PICK_ORIGIN) !== undefined) return FOREIGN;
  const phase = ownValue(metadata, keys.PHASE);
  const key = ownValue(metadata, keys.LOGICAL_TASK_KEY);
  if (phase === undefined) return key === undefined ? FOREIGN : MISSING;
  if (phase === "try") return TRY;
  if (phase !== "confirm") return MALFORMED;
  if (key === undefined) return MISSING;
  if (typeof key !== "string" || key === "") return MALFORMED;
  if (key !== self.logicalTaskKey) return FOREIGN;
  return ownCommit(commit, self);
}

function ownCommit(commit: FenceCommit, self: PublishSelf): CommitFinding {
  const metadata = commit.metadata;
  const prefix = ownValue(metadata, keys.PREFIX);
  if (prefix === undefined) return MISSING;
  if (typeof prefix !== "string") return MALFORMED;

  const timeText = ownValue(metadata, keys.SCHEDULED_TIME);
  const retryText = ownValue(metadata, keys.RETRY_COUNT);
  const time = parseWhole(timeText);
  const retryCount = parseWhole(retryText);
  if (timeText !== undefined && time === undefined) return MALFORMED;
  if (retryText !== undefined && retryCount === undefined) return MALFORMED;

  const taskId = ownValue(metadata, keys.TASK_ID);
  // An equal time may be this very delivery (rule P9): then the rest of its identity must be readable and agree.
  const equalTime = time === self.scheduledTime;
  if (equalTime && (taskId === undefined || (taskId === self.taskId && retryCount === undefined))) return MISSING;
  const sameDelivery = equalTime && taskId === self.taskId;
  if (sameDelivery && retryCount !== self.retryCount) return MALFORMED;

  const expectedHead = ownValue(metadata, keys.EXPECTED_HEAD);
  const retried = taskId !== undefined && taskId === self.retriedTaskId;
  return {
    kind: "own",
    otherPrefix: prefix !== self.prefix && normalisePrefix(prefix) !== self.prefix,
    race: expectedHead !== undefined && expectedHead !== commit.parents[0],
    newer: time !== undefined && time > self.scheduledTime && !retried,
    sameDelivery,
  };
}
