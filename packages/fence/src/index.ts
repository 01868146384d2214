export type {
  AttemptCheck,
  AttemptIdentity,
  AttemptRead,
  AttemptVerdict,
  HeldElsewhereReason,
  ReadBack,
  ReportDecision,
  ReportedStatus,
  ReportOutcome,
  StaleReason,
} from "./attempt-fence.ts";
export { checkAttempt, classifyReadBack, mayReport } from "./attempt-fence.ts";
export type { FenceCommit } from "./commit.ts";
export type { CommitMetadata, DecodedMetadata, MetadataDefect } from "./decode-metadata.ts";
export { decodeMetadata } from "./decode-metadata.ts";
export type { LogicalTaskParts } from "./logical-task.ts";
export { logicalTaskKey } from "./logical-task.ts";
export {
  CHERRY_PICK_ORIGIN,
  CONDUCTOR_LINK,
  CONFIRM_KEYS,
  EXPECTED_HEAD,
  INPUT_REF,
  LOGICAL_TASK_KEY,
  PHASE,
  PREFIX,
  REFERENCE_TASK_NAME,
  RETRY_COUNT,
  SCHEDULED_TIME,
  STAGING_BRANCH,
  STAGING_COMMIT,
  SUPERSEDES,
  TARGET_BRANCH,
  TASK_DEF_NAME,
  TASK_ID,
  WORKER_ID,
  WORKFLOW_INSTANCE_ID,
  WRITER,
} from "./metadata-keys.ts";
export type { ConfirmMetadataFields, TryMetadataFields } from "./metadata.ts";
export {
  encodeConfirmMetadata,
  encodeTryMetadata,
  METADATA_TOTAL_MAX_BYTES,
  METADATA_VALUE_MAX_BYTES,
  MetadataError,
} from "./metadata.ts";
export { normalisePrefix, samePrefix } from "./prefix.ts";
export type {
  OwnDelivery,
  PublishAccept,
  PublishDecision,
  PublishRange,
  PublishRefusal,
  PublishSelf,
  RefusalReason,
} from "./publish-decision.ts";
export { PublishFenceError } from "./publish-fence-error.ts";
export { classifyPublish, MAX_WALKED_COMMITS } from "./publish-fence.ts";
export type { StagingBranchParts } from "./staging-branch.ts";
export { isStagingBranchName, stagingBranchName, stagingBranchPrefix } from "./staging-branch.ts";
