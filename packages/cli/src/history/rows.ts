import { CHERRY_PICK_ORIGIN, decodeMetadata, type FenceCommit } from "@perago/fence";

/** How the publish fence reads a commit: what it is, whoever's it is. */
export type RowKind =
  /** A publication by Perago, the first one of its input. */
  | "confirm"
  /** A publication on top of an own earlier one. */
  | "supersede"
  /** A staging commit, which nothing should bring onto a target. */
  | "try"
  /** Perago's keys with a value missing or without meaning. */
  | "malformed"
  /** Somebody else's. */
  | "foreign";

/** One commit of the target's first-parent log. Texts are as they were found: other people's words. */
export interface HistoryRow {
  readonly id: string;
  readonly parent: string | null;
  readonly kind: RowKind;
  /** More about the kind: the key that is wrong, what was cherry-picked, or over which commit it published. */
  readonly detail?: string;
  /** It landed on another head than the one that its fence had seen (rules C6, P10). */
  readonly isRace: boolean;
  readonly committer: string;
  readonly message: string;
  /** ISO time by lakeFS' clock; null where it has none. */
  readonly time: string | null;
  readonly publication?: Publication;
}

/** Which attempt made a publication. */
export interface Publication {
  readonly logicalTaskKey: string;
  readonly prefix: string;
  readonly task: string | null;
  readonly retryCount: number | null;
  readonly workflowInstanceId: string | null;
  readonly taskId: string | null;
  readonly inputRef: string | null;
}

/** The log as the fence reads it, in its order. Pure; never throws, whatever the commits hold. */
export function historyRows(commits: readonly FenceCommit[]): readonly HistoryRow[] {
  return commits.map(rowOf);
}

function rowOf(commit: FenceCommit): HistoryRow {
  const { id, parents, message = "", committer = "", creationDate = 0 } = commit;
  const parent = parents[0] ?? null;
  const time = creationDate > 0 ? isoTime(creationDate) : null;
  return { id, parent, committer, message, time, isRace: false, ...reading(commit, parent) };
}

function reading(
  { metadata }: FenceCommit,
  parent: string | null,
): Pick<HistoryRow, "kind"> & Partial<Pick<HistoryRow, "detail" | "isRace" | "publication">> {
  const origin = Object.hasOwn(metadata, CHERRY_PICK_ORIGIN) ? metadata[CHERRY_PICK_ORIGIN] : undefined;
  if (origin !== undefined) return { kind: "foreign", detail: `cherry-picked from ${origin}` };
  const hasKeys = Object.keys(metadata).some((key) => key.startsWith("perago."));
  if (!hasKeys) return { kind: "foreign" };
  const decoded = decodeMetadata(metadata);
  if (!decoded.ok) return { kind: "malformed", detail: `${decoded.key} is ${decoded.defect}` };
  const { metadata: read } = decoded;
  if (read.phase === "try") return { kind: "try" };
  const publication: Publication = {
    logicalTaskKey: read.logicalTaskKey,
    prefix: read.prefix,
    task: read.taskDefName ?? null,
    retryCount: read.retryCount ?? null,
    workflowInstanceId: read.workflowInstanceId ?? null,
    taskId: read.taskId ?? null,
    inputRef: read.inputRef ?? null,
  };
  const isRace = read.expectedHead !== undefined && read.expectedHead !== parent;
  const over = read.supersedes ?? "";
  if (over === "") return { kind: "confirm", isRace, publication };
  return { kind: "supersede", detail: `over ${over}`, isRace, publication };
}

function isoTime(seconds: number): string | null {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
