import type { ContentCache } from "../cache/content-cache.ts";
import type { LakefsClient } from "../client/client.ts";
import type { FileStock } from "../folder/file-stock.ts";
import type { StorageLimits } from "./upload-way.ts";

/** What every job gets. */
export interface JobContext {
  readonly client: LakefsClient;
  readonly signal: AbortSignal;
  /** Transfers at a time. */
  readonly slotCount: number;
  /** Absent where it is switched off. */
  readonly cache?: ContentCache | undefined;
  /** Files that were made before they are needed. Default none. */
  readonly stock?: FileStock | undefined;
  /** What the storage takes; default `storageLimits`. For tests, with limits scaled down. */
  readonly limits?: StorageLimits;
  readonly report: (progress: SyncProgress) => void;
}

/** How far a job is; counts since its start. */
export interface SyncProgress {
  readonly phase: "list" | "download" | "hash" | "upload" | "delete" | "compare" | "verify";
  readonly fileCount: number;
  readonly sizeBytes: number;
  /** Files in all where it is known. */
  readonly totalFileCount?: number;
}

/** Entries that one projection may have: bounds every listing and walk. */
export const maxProjectionFileCount = 5_000_000;
