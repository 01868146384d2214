// Entry of the sync worker thread: takes jobs from the main thread, runs them, answers. See sync-worker.ts for the
// other side.
import { parentPort, workerData } from "node:worker_threads";
import { ContentCache } from "../cache/content-cache.ts";
import { LakefsClient } from "../client/client.ts";
import { breathe } from "./bounded.ts";
import { packError } from "./carried-error.ts";
import type { SyncProgress } from "./context.ts";
import { runJob } from "./jobs.ts";
import { SpareTime } from "./spare-time.ts";
import type { SyncReply, SyncRequest, SyncWorkerData } from "./messages.ts";
import { WorkspaceTable } from "./workspace-table.ts";

const progressIntervalMs = 250;

function serve(data: SyncWorkerData, port: NonNullable<typeof parentPort>): void {
  const client = new LakefsClient({ connectionCount: data.slotCount + 2, ...data.connection });
  const table = new WorkspaceTable(data.generation);
  const running = new Map<number, AbortController>();
  const spare = new SpareTime(() => void stock?.refill());
  const cache =
    data.cache === undefined
      ? undefined
      : new ContentCache(data.cache, data.connection, { pause: breathe, isIdle: () => spare.isQuiet });
  // Between two attempts there is time; while one is under way only a long body gives it.
  const isBetween = (): boolean => (table.isEmpty ? spare.isFree : spare.isQuiet);
  const stock = cache?.openStock(isBetween);
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
    spare.begin();
    const { signal } = controller;
    const report = reporter(jobId, wantsProgress);
    const context = { client, signal, slotCount: data.slotCount, cache, stock, report };
    try {
      reply({ type: "done", jobId, output: await runJob(context, table, job) });
    } catch (error) {
      reply({ type: "failed", jobId, error: packError(error, signal.aborted) });
    } finally {
      running.delete(jobId);
      spare.end();
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
