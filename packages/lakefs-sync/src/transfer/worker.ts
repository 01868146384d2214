// Entry of the sync worker thread: takes jobs from the main thread, runs them, answers. See sync-worker.ts for the
// other side.
import { parentPort, workerData } from "node:worker_threads";
import { ContentCache } from "../cache/content-cache.ts";
import { LakefsClient } from "../client/client.ts";
import { breathe } from "./bounded.ts";
import { packError } from "./carried-error.ts";
import type { SyncProgress } from "./context.ts";
import { runJob } from "./jobs.ts";
import type { SyncReply, SyncRequest, SyncWorkerData } from "./messages.ts";
import { WorkspaceTable } from "./workspace-table.ts";

const progressIntervalMs = 250;
/** The cache is filled when no job was there for this long: between the jobs of an attempt it would be in their way. */
const idleAfterMs = 500;

function serve(data: SyncWorkerData, port: NonNullable<typeof parentPort>): void {
  const client = new LakefsClient({ connectionCount: data.slotCount + 2, ...data.connection });
  const table = new WorkspaceTable(data.generation);
  const running = new Map<number, AbortController>();
  let lastEndMs = 0;
  const isIdle = (): boolean => running.size === 0 && performance.now() - lastEndMs >= idleAfterMs;
  const spare = { pause: breathe, isIdle };
  const cache = data.cache === undefined ? undefined : new ContentCache(data.cache, data.connection, spare);
  const reply = (message: SyncReply): void => port.postMessage(message);

  const reporter = (jobId: number, wanted: boolean): ((progress: SyncProgress) => void) => {
    let lastMs = performance.now();
    return (progress) => {
      const nowMs = performance.now();
      if (!wanted || nowMs - lastMs < progressIntervalMs) return;
      lastMs = nowMs;
      reply({ type: "progress", jobId, progress });
    };
  };

  const start = async (request: Extract<SyncRequest, { type: "start" }>): Promise<void> => {
    const { jobId, job, wantsProgress } = request;
    const controller = new AbortController();
    running.set(jobId, controller);
    const { signal } = controller;
    const context = { client, signal, slotCount: data.slotCount, cache, report: reporter(jobId, wantsProgress) };
    try {
      reply({ type: "done", jobId, output: await runJob(context, table, job) });
    } catch (error) {
      reply({ type: "failed", jobId, error: packError(error, signal.aborted) });
    } finally {
      running.delete(jobId);
      lastEndMs = performance.now();
    }
  };

  port.on("message", (request: SyncRequest) => {
    if (request.type === "abort") running.get(request.jobId)?.abort();
    else void start(request);
  });
}

if (parentPort === null) throw new Error("this module is the entry of a worker thread");
const data: SyncWorkerData = workerData;
serve(data, parentPort);
