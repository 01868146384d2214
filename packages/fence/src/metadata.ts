import { assert } from "./assert.ts";
import * as keys from "./metadata-keys.ts";
import { normalisePrefix } from "./prefix.ts";

/** Most bytes (UTF-8) that one value may have (case L17). Names of 200 four-byte letters fit. */
export const METADATA_VALUE_MAX_BYTES = 3072;
/** Most bytes of all keys and values together: what was seen to be accepted by lakeFS (case L17). */
export const METADATA_TOTAL_MAX_BYTES = 10_000;

/** What is known when the staging commit is made (rule T9): all of C1 but the staging commit itself. */
export interface TryMetadataFields {
  readonly logicalTaskKey: string;
  readonly taskId: string;
  readonly retryCount: number;
  readonly inputRef: string;
  readonly targetBranch: string;
  /** In any form; it is written normalised. */
  readonly prefix: string;
  readonly stagingBranch: string;
  /** The head that the publish fence accepted before staging; the base of the staging branch (rules T4 and P5). */
  readonly expectedHead: string;
  /** Empty under P1, the head under P2. */
  readonly supersedes: string;
  readonly workflowInstanceId: string;
  readonly taskDefName: string;
  readonly referenceTaskName: string;
  /** Milliseconds by the engine's clock. */
  readonly scheduledTime: number;
  readonly workerId: string;
  /** `ts/<version>`. */
  readonly writer: string;
  /** Address of the workflow in Conductor's page, where it is configured. */
  readonly conductorLink?: string | undefined;
}

/** What a confirm commit says (rule C1). */
export interface ConfirmMetadataFields extends TryMetadataFields {
  readonly stagingCommit: string;
}

/** Metadata that lakeFS would refuse or change. Codes: `metadata_too_large`, `metadata_not_text`. */
export class MetadataError extends Error {
  readonly code: "metadata_too_large" | "metadata_not_text";
  readonly hint: string;
  constructor(code: MetadataError["code"], message: string, hint: string) {
    super(message);
    this.name = "MetadataError";
    this.code = code;
    this.hint = hint;
  }
}

/** The metadata of a staging commit (rule T9). Throws `MetadataError` over the size limits (case L17). */
export function encodeTryMetadata(fields: TryMetadataFields): Record<string, string> {
  return checked(encode("try", fields));
}

/**
 * The metadata of a confirm commit (rules C1 and C2), all values strings. Throws `MetadataError` over the size limits
 * (case L17).
 */
export function encodeConfirmMetadata(fields: ConfirmMetadataFields): Record<string, string> {
  return checked({ ...encode("confirm", fields), [keys.STAGING_COMMIT]: fields.stagingCommit });
}

function encode(phase: "try" | "confirm", fields: TryMetadataFields): Record<string, string> {
  return {
    [keys.PHASE]: phase,
    [keys.LOGICAL_TASK_KEY]: fields.logicalTaskKey,
    [keys.TASK_ID]: fields.taskId,
    [keys.RETRY_COUNT]: whole(fields.retryCount),
    [keys.INPUT_REF]: fields.inputRef,
    [keys.TARGET_BRANCH]: fields.targetBranch,
    [keys.PREFIX]: normalisePrefix(fields.prefix),
    [keys.STAGING_BRANCH]: fields.stagingBranch,
    [keys.EXPECTED_HEAD]: fields.expectedHead,
    [keys.SUPERSEDES]: fields.supersedes,
    [keys.WORKFLOW_INSTANCE_ID]: fields.workflowInstanceId,
    [keys.TASK_DEF_NAME]: fields.taskDefName,
    [keys.REFERENCE_TASK_NAME]: fields.referenceTaskName,
    [keys.SCHEDULED_TIME]: whole(fields.scheduledTime),
    [keys.WORKER_ID]: fields.workerId,
    [keys.WRITER]: fields.writer,
    ...(fields.conductorLink === undefined ? {} : { [keys.CONDUCTOR_LINK]: fields.conductorLink }),
  };
}

function whole(value: number): string {
  assert(Number.isSafeInteger(value) && value >= 0, "not a whole number >= 0: retryCount or scheduledTime");
  return String(value);
}

function checked(record: Record<string, string>): Record<string, string> {
  let totalBytes = 0;
  for (const [key, value] of Object.entries(record)) {
    // A lone surrogate would come back as another letter, and the fence would not know its own commit again.
    if (!value.isWellFormed()) {
      throw new MetadataError("metadata_not_text", `${key} is not well-formed text`, "use names of whole letters");
    }
    const valueBytes = new TextEncoder().encode(value).length;
    if (valueBytes > METADATA_VALUE_MAX_BYTES) throw tooLarge(key, valueBytes, METADATA_VALUE_MAX_BYTES);
    totalBytes += key.length + valueBytes;
  }
  if (totalBytes > METADATA_TOTAL_MAX_BYTES) throw tooLarge("all metadata", totalBytes, METADATA_TOTAL_MAX_BYTES);
  return record;
}

function tooLarge(what: string, sizeBytes: number, limitBytes: number): MetadataError {
  const message = `${what} has ${sizeBytes} bytes, more than ${limitBytes}`;
  return new MetadataError("metadata_too_large", message, "use shorter names");
}
