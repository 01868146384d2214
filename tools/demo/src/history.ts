import { decodeMetadata } from "@perago/fence";
import type { Commit } from "@perago/lakefs-sync";

/** An attempt that published nothing, and which head kept it out. */
export interface Refusal {
  readonly task: string;
  readonly retryCount: number;
  readonly workflowId: string;
  readonly taskId: string;
  /** As Conductor shows it: code, thing, mend. */
  readonly reason: string;
  /** The head that the attempt met. */
  readonly head: string;
}

/** Who wrote a published commit. */
export interface Publication {
  readonly task: string;
  readonly retryCount: number;
  readonly workflowId: string;
  readonly taskId: string;
}

/** One line of the target's history. */
export type Row =
  | { readonly kind: "start" | "foreign"; readonly id: string; readonly message: string }
  | ({ readonly kind: "confirm"; readonly id: string } & Publication)
  | ({ readonly kind: "supersede"; readonly id: string; readonly over: string } & Publication)
  | ({ readonly kind: "refused" } & Refusal);

/** What the rows are made of. */
export interface HistoryInput {
  /** First parents, newest first. */
  readonly commits: readonly Commit[];
  /** The head before the first workflow: what lies at and below it is where all began. */
  readonly startHead: string;
  readonly refusals: readonly Refusal[];
}

/** The history as the fence sees it, newest first; a refused attempt stands above the head that it met. Pure. */
export function historyRows({ commits, startHead, refusals }: HistoryInput): readonly Row[] {
  const startIndex = commits.findIndex(({ id }) => id === startHead);
  return commits.flatMap((commit, index) => {
    const refused = refusals
      .filter(({ head }) => head === commit.id)
      .map((each) => ({ kind: "refused", ...each }) as const);
    return [...refused, rowOf(commit, startIndex >= 0 && index >= startIndex)];
  });
}

function rowOf(commit: Commit, isStart: boolean): Row {
  const { id, message } = commit;
  const decoded = decodeMetadata(commit.metadata);
  if (isStart || !decoded.ok || decoded.metadata.phase !== "confirm") {
    return { kind: isStart ? "start" : "foreign", id, message };
  }
  const { metadata } = decoded;
  const publication: Publication = {
    task: metadata.taskDefName ?? "?",
    retryCount: metadata.retryCount ?? 0,
    workflowId: metadata.workflowInstanceId ?? "?",
    taskId: metadata.taskId ?? "?",
  };
  const over = metadata.supersedes ?? "";
  return over === "" ? { kind: "confirm", id, ...publication } : { kind: "supersede", id, over, ...publication };
}

/** An id as it is shown. */
export function short(id: string): string {
  return id.slice(0, 8);
}
