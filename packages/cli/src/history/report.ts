import type { FenceCommit } from "@perago/fence";
import { historyRows, type HistoryRow } from "./rows.ts";
import { verdictsFor, type Verdict } from "./verdicts.ts";

/** The history of one target as `--json` gives it. */
export interface HistoryReport {
  readonly repository: string;
  readonly branch: string;
  readonly head: string;
  /** Full id, where one was asked about. */
  readonly inputRef?: string;
  readonly verdicts?: readonly Verdict[];
  readonly commits: readonly HistoryRow[];
  /** There are more commits below. */
  readonly more: boolean;
}

/** What a report is made of. */
export interface HistoryInput {
  readonly repository: string;
  readonly branch: string;
  readonly head: string;
  /** First parents, newest first, down to the input ref where there is one. */
  readonly commits: readonly FenceCommit[];
  readonly inputRef?: string;
  readonly logicalTaskKey?: string;
  readonly limit: number;
}

/** Rows and verdicts together. With a logical task the publications of others are foreign, as its fence sees them. */
export function reportOf(input: HistoryInput): HistoryReport {
  const { repository, branch, head, commits, inputRef, logicalTaskKey, limit } = input;
  const own = (row: HistoryRow): HistoryRow =>
    logicalTaskKey === undefined || row.publication === undefined || row.publication.logicalTaskKey === logicalTaskKey
      ? row
      : { ...row, kind: "foreign", detail: "another logical task's publication" };
  const rows = historyRows(commits.slice(0, limit)).map(own);
  const asked = logicalTaskKey === undefined ? {} : { logicalTaskKey };
  return {
    repository,
    branch,
    head,
    ...(inputRef === undefined ? {} : { inputRef, verdicts: verdictsFor({ inputRef, head, commits, ...asked }) }),
    commits: rows,
    more: commits.length > limit || (rows.at(-1)?.parent ?? null) !== null,
  };
}
