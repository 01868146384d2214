import { classifyPublish, normalisePrefix, PublishFenceError, type FenceCommit } from "@perago/fence";
import { historyRows } from "./rows.ts";

/** What the publish fence says to one logical task, were it to publish now. */
export interface Verdict {
  /** Null: any task that has published nothing since the input commit. */
  readonly logicalTaskKey: string | null;
  readonly accepted: boolean;
  readonly rule: string;
  /** The publication that it would supersede. */
  readonly supersedes?: string;
  /** Of a refusal: its code, the commit in the way, and the whole in words, with the mend. */
  readonly code?: string;
  readonly commit?: string;
  readonly message?: string;
  readonly hint?: string;
}

/** What the verdicts are about. */
export interface VerdictInput {
  readonly inputRef: string;
  readonly head: string;
  /** First parents, newest first, down to the input ref where it was found; at most 1025. */
  readonly commits: readonly FenceCommit[];
  /** Only this logical task. Default: each that has published since the input commit, and any other. */
  readonly logicalTaskKey?: string;
}

/** Most logical tasks that get a verdict of their own. */
const MAX_TASKS = 20;

/**
 * Why the input ref would be accepted or refused (rules P1 to P10), for a retry that starts now: it is newer than all
 * that has published. The hard fence is left aside: a lost race is told by the rows. Pure.
 */
export function verdictsFor({ inputRef, head, commits, logicalTaskKey }: VerdictInput): readonly Verdict[] {
  const end = commits.findIndex(({ id }) => id === inputRef);
  const walked = historyRows(end < 0 ? commits : commits.slice(0, end));
  const published = walked.flatMap(({ publication }) => (publication === undefined ? [] : [publication]));
  const prefixOf = (key: string): string => published.find((each) => each.logicalTaskKey === key)?.prefix ?? "";
  const keys = [...new Set(published.map((each) => each.logicalTaskKey))].slice(0, MAX_TASKS);
  const asked = logicalTaskKey === undefined ? [...keys, null] : [logicalTaskKey];
  return asked.map((key) => {
    const self = {
      // No key is empty: nobody's commit is this task's.
      logicalTaskKey: key ?? "",
      prefix: normalisePrefix(prefixOf(key ?? "")),
      scheduledTime: Number.MAX_SAFE_INTEGER,
      taskId: "",
      retryCount: 0,
    };
    const decision = classifyPublish({ inputRef, head, commits, self, hardFence: false });
    if (decision.kind !== "publish") {
      const { code, message, hint } = new PublishFenceError(decision);
      const commit = decision.commit === undefined ? {} : { commit: decision.commit.id };
      return { logicalTaskKey: key, accepted: false, rule: decision.rule, code, ...commit, message, hint };
    }
    const over = decision.supersedes === "" ? {} : { supersedes: decision.supersedes };
    return { logicalTaskKey: key, accepted: true, rule: decision.rule, ...over };
  });
}
