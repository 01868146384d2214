import type { CacheOptions } from "../cache/cache-root.ts";
import type { LakefsErrorFields } from "../client/errors.ts";
import type { LakefsConnection } from "../client/http.ts";
import type { SyncErrorFields } from "../errors.ts";
import type { SyncProgress } from "./context.ts";
import type { Comparison } from "./compare.ts";
import type { SyncInJob } from "./sync-in.ts";

/** What `syncIn` answers. */
export interface SyncedIn {
  /** Names the snapshot in the sync worker until `release`. */
  readonly workspaceId: number;
  readonly fileCount: number;
  readonly sizeBytes: number;
  /** Files that came from the local cache. */
  readonly cachedCount: number;
  /** Relative paths of all files, for guardrails, where they were asked for; in no order. */
  readonly paths: readonly string[];
}

/** What `project` answers. */
export interface Projected {
  /** Equal digests mean equal projections. */
  readonly digest: string;
  /** The folder shows exactly what was brought in (rule R2). */
  readonly noop: boolean;
  readonly fileCount: number;
  readonly sizeBytes: number;
  readonly uploadCount: number;
  readonly deleteCount: number;
  readonly unchangedCount: number;
  /** Files that were read; the others' stat records showed that they are unchanged (rule T5). */
  readonly hashedCount: number;
  /** Relative paths of all files, for guardrails, where they were asked for; in no order. */
  readonly paths: readonly string[];
}

/** What `stage` answers; counts are against the base of the staging branch. */
export interface StagedChanges {
  readonly uploadedCount: number;
  readonly uploadedSizeBytes: number;
  readonly deletedCount: number;
  readonly unchangedCount: number;
  /** Paths that the staging commit has to show as changed; 0 means that it needs `allowEmpty`. */
  readonly changedPathCount: number;
}

/** Whether the answer lists the paths of all files, which a large folder makes long. Default true. */
interface PathsWanted {
  readonly withPaths?: boolean;
}

/** Every job of the sync worker: what goes in and what comes out. */
export interface SyncJobs {
  readonly syncIn: { readonly input: SyncInJob & PathsWanted; readonly output: SyncedIn };
  readonly project: { readonly input: { readonly workspaceId: number } & PathsWanted; readonly output: Projected };
  readonly compare: {
    readonly input: { readonly workspaceId: number; readonly commitId: string };
    readonly output: Comparison;
  };
  readonly stage: {
    readonly input: {
      readonly workspaceId: number;
      /** Digest of the projection that guardrails judged: what is staged must be that one (rule T3). */
      readonly digest: string;
      readonly branch: string;
      readonly baseCommitId: string;
    };
    readonly output: StagedChanges;
  };
  readonly verifyStaging: {
    readonly input: { readonly workspaceId: number; readonly stagingCommitId: string };
    readonly output: Record<string, never>;
  };
  readonly release: {
    readonly input: {
      readonly workspaceId: number;
      /** The folder is removed next: the cache may take files out of it. Default false: it stays as it is. */
      readonly folderGoes?: boolean;
    };
    readonly output: Record<string, never>;
  };
}

/** Name of a job of the sync worker. */
export type SyncJobName = keyof SyncJobs;

/** One job with its name. */
export type NamedJob = {
  [Name in SyncJobName]: { readonly name: Name; readonly input: SyncJobs[Name]["input"] };
}[SyncJobName];

/** Main thread to sync worker. */
export type SyncRequest =
  | { readonly type: "start"; readonly jobId: number; readonly job: NamedJob; readonly wantsProgress: boolean }
  | { readonly type: "abort"; readonly jobId: number };

/** An error on its way over the thread border. */
export type CarriedError =
  | { readonly kind: "lakefs"; readonly fields: LakefsErrorFields }
  | { readonly kind: "sync"; readonly fields: SyncErrorFields }
  | { readonly kind: "bug"; readonly message: string; readonly stack: string };

/** Sync worker to main thread. */
export type SyncReply =
  | { readonly type: "progress"; readonly jobId: number; readonly progress: SyncProgress }
  | { readonly type: "done"; readonly jobId: number; readonly output: SyncJobs[SyncJobName]["output"] }
  | { readonly type: "failed"; readonly jobId: number; readonly error: CarriedError };

/** How a sync worker is set up; goes by workerData, never by the environment. */
export interface SyncWorkerData {
  readonly connection: LakefsConnection;
  readonly slotCount: number;
  readonly cache: CacheOptions | undefined;
  /** How many threads this handle had before: ids of a dead one never name a snapshot of the next. */
  readonly generation: number;
}
