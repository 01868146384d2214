import { inspect } from "node:util";
import { Worker } from "node:worker_threads";
import { openCacheRoot, type CacheOptions } from "../cache/cache-root.ts";
import type { LakefsConnection } from "../client/http.ts";
import { SyncError } from "../errors.ts";
import { unpackError } from "./carried-error.ts";
import type { Comparison } from "./compare.ts";
import type { SyncProgress } from "./context.ts";
import type {
  NamedJob,
  Projected,
  StagedChanges,
  SyncedIn,
  SyncJobName,
  SyncJobs,
  SyncReply,
  SyncRequest,
  SyncWorkerData,
} from "./messages.ts";

/** How a sync worker is set up. */
export interface SyncWorkerOptions {
  readonly connection: LakefsConnection;
  /** Transfers at a time within one job. Default 16. */
  readonly slotCount?: number;
  /** Local cache of contents. Default none. */
  readonly cache?: CacheOptions;
}

/** Bounds and observers of one job. */
export interface JobOptions {
  /** Ends the job; it fails with `sync_aborted` after its transfers have stopped. */
  readonly signal?: AbortSignal;
  /** Called at most four times a second. */
  readonly onProgress?: (progress: SyncProgress) => void;
}

interface Waiting {
  readonly resolve: (output: SyncJobs[SyncJobName]["output"]) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: ((progress: SyncProgress) => void) | undefined;
}

/**
 * The thread's garbage is short-lived and small: pages of listings, heads of answers. More room for it only keeps more
 * of it in memory (a hundred MiB after a listing of a million keys).
 */
export const maxYoungGenerationSizeMb = 6;

/** From source the entry is a `.ts` beside this file, from the build a `.mjs` beside the bundle. */
function startThread(data: SyncWorkerData): Worker {
  const fromSource = import.meta.url.endsWith(".ts");
  const entry = new URL(fromSource ? "./worker.ts" : "./sync-worker-thread.mjs", import.meta.url);
  const execArgv = fromSource ? ["--conditions=perago-source"] : [];
  const resourceLimits = { maxYoungGenerationSizeMb };
  return new Worker(entry, { workerData: data, execArgv, resourceLimits, name: "perago-sync" });
}

/**
 * A worker thread that lists, downloads, hashes and uploads, so that the main thread never does. It starts with the
 * first job, is kept warm, and starts afresh after it died; the snapshots of a dead one are lost (`sync_worker_lost`).
 */
export class SyncWorker {
  readonly #options: SyncWorkerOptions;
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | undefined;
  #generation = 0;
  #lastJobId = 0;
  #closed = false;

  /** Throws `SyncError` `cache_unusable`. */
  constructor(options: SyncWorkerOptions) {
    this.#options = options;
    if (options.cache !== undefined) openCacheRoot(options.cache.root);
  }

  /** Brings a commit's projection into a new folder (rules T2, T11, I5). */
  syncIn(job: SyncJobs["syncIn"]["input"], options?: JobOptions): Promise<SyncedIn> {
    return this.#run({ name: "syncIn", input: job }, options);
  }
  /** Plans the folder's changes against what was brought in; hashes where no stat record decides (rules T5, T7). */
  project(job: SyncJobs["project"]["input"], options?: JobOptions): Promise<Projected> {
    return this.#run({ name: "project", input: job }, options);
  }
  /** Compares the last projection with a commit's (rule P9). */
  compare(job: SyncJobs["compare"]["input"], options?: JobOptions): Promise<Comparison> {
    return this.#run({ name: "compare", input: job }, options);
  }
  /** Makes a staging branch show exactly the last projection (rules T4, T8, T12). */
  stage(job: SyncJobs["stage"]["input"], options?: JobOptions): Promise<StagedChanges> {
    return this.#run({ name: "stage", input: job }, options);
  }
  /** Compares the diff from base to staging commit with the plan (rule T13). */
  async verifyStaging(job: SyncJobs["verifyStaging"]["input"], options?: JobOptions): Promise<void> {
    await this.#run({ name: "verifyStaging", input: job }, options);
  }
  /**
   * Forgets a snapshot. The folder is the caller's: where he says that it goes, the cache may take files out of it
   * before. An id that is unknown is no error.
   */
  async release(job: SyncJobs["release"]["input"]): Promise<void> {
    if (this.#thread === undefined) return;
    await this.#run({ name: "release", input: job }, {});
  }

  /** Starts the thread before the first job needs it. */
  warm(): void {
    this.#started();
  }

  /** Ends the thread; jobs that still run fail with `sync_worker_lost`. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#thread?.terminate();
  }

  #run<Name extends SyncJobName>(
    job: NamedJob & { readonly name: Name },
    options: JobOptions = {},
  ): Promise<SyncJobs[Name]["output"]> {
    const thread = this.#started();
    this.#lastJobId += 1;
    const jobId = this.#lastJobId;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
    const post = (request: SyncRequest): void => thread.postMessage(request);
    const { signal, onProgress } = options;
    return new Promise<SyncJobs[Name]["output"]>((resolve, reject) => {
      if (signal?.aborted) {
        reject(new SyncError("sync_aborted", "the caller ended the work"));
        return;
      }
      const abort = (): void => post({ type: "abort", jobId });
      const settled = (): void => signal?.removeEventListener("abort", abort);
      signal?.addEventListener("abort", abort, { once: true });
      this.#waiting.set(jobId, {
        resolve: (output) => {
          settled();
          resolve(output);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
        onProgress,
      });
      post({ type: "start", jobId, job, wantsProgress: onProgress !== undefined });
    });
  }

  #started(): Worker {
    if (this.#closed) throw new Error("the sync worker is closed");
    if (this.#thread !== undefined) return this.#thread;
    const { connection, slotCount = 16, cache } = this.#options;
    const thread = startThread({ connection, slotCount, cache, generation: this.#generation });
    this.#thread = thread;
    this.#generation += 1;
    let cause = "";
    thread.on("message", (message: SyncReply) => this.#onReply(message));
    thread.on("error", (error) => {
      cause = error instanceof Error ? `: ${error.message}` : "";
    });
    thread.on("exit", () => this.#onExit(thread, cause));
    return thread;
  }

  #onReply(message: SyncReply): void {
    const waiting = this.#waiting.get(message.jobId);
    if (message.type === "progress") {
      waiting?.onProgress?.(message.progress);
      return;
    }
    this.#waiting.delete(message.jobId);
    if (message.type === "done") waiting?.resolve(message.output);
    else waiting?.reject(unpackError(message.error));
  }

  #onExit(thread: Worker, cause: string): void {
    if (this.#thread === thread) this.#thread = undefined;
    const lost = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const waiting of lost)
      waiting.reject(new SyncError("sync_worker_lost", `the sync worker thread ended${cause}`));
  }

  /** Shows no secret (case A01). */
  [inspect.custom](): string {
    return `SyncWorker(${this.#waiting.size} jobs)`;
  }
}
