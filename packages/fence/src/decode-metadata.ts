import * as keys from "./metadata-keys.ts";
import { normalisePrefix } from "./prefix.ts";
import { ownValue, parseWhole } from "./read-metadata.ts";

/**
 * A commit's metadata as this package understands it. What rules P2 and P4 need is always there; other writers may
 * leave out the rest.
 */
export interface CommitMetadata {
  readonly phase: "try" | "confirm";
  readonly logicalTaskKey: string;
  /** Normalised (rule P4). */
  readonly prefix: string;
  readonly taskId: string | undefined;
  readonly retryCount: number | undefined;
  readonly inputRef: string | undefined;
  readonly targetBranch: string | undefined;
  readonly stagingBranch: string | undefined;
  readonly stagingCommit: string | undefined;
  readonly expectedHead: string | undefined;
  readonly supersedes: string | undefined;
  readonly workflowInstanceId: string | undefined;
  readonly taskDefName: string | undefined;
  readonly referenceTaskName: string | undefined;
  /** Milliseconds by the engine's clock. */
  readonly scheduledTime: number | undefined;
  readonly workerId: string | undefined;
  readonly writer: string | undefined;
  readonly conductorLink: string | undefined;
}

/** What is wrong with a key: it is not there, or its value has no meaning. */
export type MetadataDefect = "missing" | "malformed";

/** The metadata, or the first defect with its key. */
export type DecodedMetadata =
  | { readonly ok: true; readonly metadata: CommitMetadata }
  | { readonly ok: false; readonly defect: MetadataDefect; readonly key: string };

/** Reads a commit's metadata (rule C1). Keys that are not known are ignored (rule P7); it never throws. */
export function decodeMetadata(record: Readonly<Record<string, unknown>>): DecodedMetadata {
  let malformedKey: string | undefined;
  let missingKey: string | undefined;
  const text = (key: string): string | undefined => {
    const value = ownValue(record, key);
    if (value === undefined || typeof value === "string") return value;
    malformedKey ??= key;
    return undefined;
  };
  const needed = (key: string): string => {
    const value = text(key);
    if (value === undefined) missingKey ??= key;
    return value ?? "";
  };
  const whole = (key: string): number | undefined => {
    const value = text(key);
    const number = parseWhole(value);
    if (value !== undefined && number === undefined) malformedKey ??= key;
    return number;
  };
  const phase = needed(keys.PHASE);
  const metadata: CommitMetadata = {
    phase: phase === "try" ? phase : "confirm",
    logicalTaskKey: needed(keys.LOGICAL_TASK_KEY),
    prefix: normalisePrefix(needed(keys.PREFIX)),
    taskId: text(keys.TASK_ID),
    retryCount: whole(keys.RETRY_COUNT),
    inputRef: text(keys.INPUT_REF),
    targetBranch: text(keys.TARGET_BRANCH),
    stagingBranch: text(keys.STAGING_BRANCH),
    stagingCommit: text(keys.STAGING_COMMIT),
    expectedHead: text(keys.EXPECTED_HEAD),
    supersedes: text(keys.SUPERSEDES),
    workflowInstanceId: text(keys.WORKFLOW_INSTANCE_ID),
    taskDefName: text(keys.TASK_DEF_NAME),
    referenceTaskName: text(keys.REFERENCE_TASK_NAME),
    scheduledTime: whole(keys.SCHEDULED_TIME),
    workerId: text(keys.WORKER_ID),
    writer: text(keys.WRITER),
    conductorLink: text(keys.CONDUCTOR_LINK),
  };
  if (missingKey !== keys.PHASE && phase !== metadata.phase) malformedKey ??= keys.PHASE;
  if (missingKey === undefined && metadata.logicalTaskKey === "") malformedKey ??= keys.LOGICAL_TASK_KEY;
  if (malformedKey !== undefined) return { ok: false, defect: "malformed", key: malformedKey };
  return missingKey === undefined ? { ok: true, metadata } : { ok: false, defect: "missing", key: missingKey };
}
