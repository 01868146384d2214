export type { CacheOptions } from "./cache/cache-root.ts";
export { LakefsClient } from "./client/client.ts";
export type { BranchCreation, BranchFilter } from "./client/branches.ts";
export type { OwnCommitCreation } from "./client/commit-once.ts";
export type { CommitCreation, LogFilter } from "./client/commits.ts";
export { LakefsError } from "./client/errors.ts";
export type { LakefsErrorCode, LakefsErrorFields, LakefsOutcome } from "./client/errors.ts";
export type { BodySource, HttpParts, LakefsConnection } from "./client/http.ts";
export type { ByteRange, ObjectPlace, Upload } from "./client/objects.ts";
export type { Merge } from "./client/refs.ts";
export { findProxyVariable } from "./client/proxy-hint.ts";
export { collectBytes } from "./client/receiver.ts";
export type { AnswerHead, Receiver, ReceiverSource } from "./client/receiver.ts";
export { defaultRetryPolicy } from "./client/retry.ts";
export type { RetryClock, RetryPolicy } from "./client/retry.ts";
export { storageAbilities } from "./client/storage-abilities.ts";
export type {
  BranchProtectionRule,
  CallOptions,
  Commit,
  Diff,
  MergeResult,
  ObjectError,
  ObjectStats,
  Ref,
  Repository,
  ServerConfig,
  StorageAbilities,
} from "./client/types.ts";
export { newFileAttributes } from "./client/upload-shape.ts";
export type { ObjectAttributes } from "./client/upload-shape.ts";
export { SyncError } from "./errors.ts";
export type { SyncErrorCode, SyncErrorFields } from "./errors.ts";
export type { DiskTraits } from "./keys/disk-traits.ts";
export { normalisePrefix } from "./keys/prefix.ts";
export { validateListing } from "./listing/listing-check.ts";
export type { CheckedListing, KeyDefect, ListedKey, ListingRules } from "./listing/listing-check.ts";
export { ObjectTable } from "./listing/object-table.ts";
export type { ListedObject, ObjectRecord } from "./listing/object-table.ts";
export { planChanges } from "./plan/plan.ts";
export type { ChangePlan, PlanInput, PlannedUpload, ProjectedFile } from "./plan/plan.ts";
export { projectionDigest } from "./plan/digest.ts";
export type { DigestedFile } from "./plan/digest.ts";
export type { Comparison } from "./transfer/compare.ts";
export type { SyncProgress } from "./transfer/context.ts";
export type { Projected, StagedChanges, SyncedIn, SyncJobs } from "./transfer/messages.ts";
export { listFolder } from "./transfer/list-folder.ts";
export { partialFolderOf } from "./transfer/sync-in.ts";
export type { SyncInJob } from "./transfer/sync-in.ts";
export { SyncWorker } from "./transfer/sync-worker.ts";
export type { JobOptions, SyncWorkerOptions } from "./transfer/sync-worker.ts";
