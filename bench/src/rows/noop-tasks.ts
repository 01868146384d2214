import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { getWorkflow, queueSize } from "@perago/e2e/support/conductor.ts";
import { until } from "@perago/e2e/support/until.ts";
import { alternate } from "../alternate.ts";
import type { Measurement, Surroundings } from "../measurement.ts";
import { cpuSeconds } from "../world/proc.ts";

const CONCURRENCY = 10;
/** Taken before the clock starts, so that processes, connections and the engine are warm. */
const WARM_UP_TASKS = 60;
const PARALLEL_STARTS = 8;
const PARALLEL_READS = 4;
const SDK_WORKER = join(import.meta.dirname, "../peers/sdk-worker.ts");
const DRAIN_TIMEOUT_MS = 300_000;

/** A process that takes tasks. */
interface Worker {
  readonly pid: number;
  stop(): Promise<void>;
}

/** B6: the Conductor loop alone, against the engine's own SDK. */
export const noopTasks: Measurement = {
  rows: [
    {
      id: "B6",
      work: "500 queued no-op tasks, 10 at a time: tasks a second",
      against: "the SDK's TaskManager at the same concurrency",
      unit: "tasks/s",
      decimals: 1,
      bound: { figure: "ratio", relation: ">=", value: 1 },
    },
    {
      id: "B6/cpu",
      work: "the same: CPU time of the whole process tree a task",
      against: "the SDK's TaskManager at the same concurrency",
      unit: "ms",
      bound: { figure: "ratio", relation: "<=", value: 1 },
    },
  ],
  async measure(around) {
    const { session, quick, say } = around;
    await session.register("noop");
    const cpu = { ours: [] as number[], other: [] as number[] };
    const taskCount = quick ? 200 : 500;
    const side = async (kind: "ours" | "other"): Promise<number> => {
      const drained = await drainQueue(around, taskCount, kind === "ours" ? startOurs : startSdk);
      cpu[kind].push(drained.cpuMsPerTask);
      say(`${kind}: ${drained.tasksPerSecond.toFixed(1)} tasks/s, ${drained.cpuMsPerTask.toFixed(2)} ms of CPU a task`);
      return drained.tasksPerSecond;
    };
    const samples = await alternate(quick ? 3 : 5, { ours: () => side("ours"), other: () => side("other") });
    return { B6: samples, "B6/cpu": cpu };
  },
};

/** Queues the tasks, starts a worker and watches from where it is warm to the end of the last task. */
async function drainQueue(
  { session }: Surroundings,
  taskCount: number,
  startWorker: (session: Surroundings["session"]) => Promise<Worker>,
) {
  const ids = await startMany(session, WARM_UP_TASKS + taskCount);
  const worker = await startWorker(session);
  const name = session.name("noop");
  const patience = { timeoutMs: DRAIN_TIMEOUT_MS, everyMs: 20 };
  await until("the warm-up is over", async () => (await queueSize(name)) <= taskCount, patience);
  const begin = { atMs: Date.now(), cpuSeconds: cpuSeconds(worker.pid) };
  await until("the queue is empty", async () => (await queueSize(name)) === 0, patience);
  const last = ids.slice(-2 * CONCURRENCY);
  await until("the last tasks have ended", async () => (await endTimes(last)).every((time) => time > 0), patience);
  const usedSeconds = cpuSeconds(worker.pid) - begin.cpuSeconds;
  await worker.stop();
  const ended = (await endTimes(ids)).filter((time) => time > begin.atMs);
  return {
    tasksPerSecond: (ended.length * 1000) / (Math.max(...ended) - begin.atMs),
    cpuMsPerTask: (usedSeconds * 1000) / ended.length,
  };
}

async function startMany(session: Surroundings["session"], count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  const rest = Array.from({ length: count }, (_, index) => index).values();
  const starters = Array.from({ length: PARALLEL_STARTS }, async () => {
    for (const _ of rest) ids.push(await session.start({ task: "noop", params: {} }));
  });
  await Promise.all(starters);
  return ids;
}

/** When each workflow's task ended by the engine's clock, 0 where it has not. */
async function endTimes(ids: readonly string[]): Promise<readonly number[]> {
  const times: number[] = [];
  const rest = ids.values();
  const readers = Array.from({ length: PARALLEL_READS }, async () => {
    for (const id of rest) {
      const task = (await getWorkflow(id)).tasks.at(-1);
      times.push(task?.status === "COMPLETED" ? task.endTime : 0);
    }
  });
  await Promise.all(readers);
  return times;
}

async function startOurs(session: Surroundings["session"]): Promise<Worker> {
  const host = await session.host({ modules: session.modules("noop"), args: ["-j", String(CONCURRENCY)] });
  return host;
}

async function startSdk(session: Surroundings["session"]): Promise<Worker> {
  const args = [SDK_WORKER, session.name("noop"), String(CONCURRENCY)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  const { pid } = child;
  if (pid === undefined) throw new Error("the SDK's worker cannot be started");
  const ended = once(child, "close");
  return {
    pid,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
