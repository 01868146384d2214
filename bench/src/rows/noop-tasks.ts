import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { getWorkflow, queueSize } from "@perago/e2e/support/conductor.ts";
import { until } from "@perago/e2e/support/until.ts";
import type { Measurement, Surroundings } from "../measurement.ts";
import type { RowSpec } from "../row.ts";
import { cpuSeconds } from "../world/proc.ts";

const CONCURRENCY = 10;
/** Taken before the clock starts, so that processes and connections are warm. */
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

const AGAINST = "the SDK's TaskManager at the same concurrency";
const SIDES = ["process", "thread", "sdk"] as const;
type Side = (typeof SIDES)[number];

/**
 * B6: the Conductor loop alone, against the engine's own SDK, which runs bodies in its own thread. Hosts log as users'
 * do, at the default level: two lines a task. One whole queue a side is drained unmeasured, for the engine is still
 * getting faster at what each side asks of it.
 */
export const noopTasks: Measurement = {
  rows: [
    throughputRow("B6", "500 queued no-op tasks, 10 at a time: tasks a second"),
    cpuRow("B6/cpu", "the same: CPU time of the whole process tree a task"),
    throughputRow("B6/thread", "the same with PERAGO_EXECUTION_MODE=thread: tasks a second"),
    cpuRow("B6/thread-cpu", "the same with PERAGO_EXECUTION_MODE=thread: CPU time a task"),
  ],
  async measure(around) {
    const { session, quick, say } = around;
    await session.register("noop");
    const rates: Record<Side, number[]> = { process: [], thread: [], sdk: [] };
    const cpu: Record<Side, number[]> = { process: [], thread: [], sdk: [] };
    for (const side of SIDES) await drainQueue(around, quick ? 200 : 500, starters[side]);
    for (let run = 0; run < (quick ? 3 : 5); run += 1) {
      // By turns, and each run begins with another one.
      for (const side of [...SIDES.slice(run % SIDES.length), ...SIDES.slice(0, run % SIDES.length)]) {
        const drained = await drainQueue(around, quick ? 200 : 500, starters[side]);
        rates[side].push(drained.tasksPerSecond);
        cpu[side].push(drained.cpuMsPerTask);
        say(
          `${side}: ${drained.tasksPerSecond.toFixed(1)} tasks/s, ${drained.cpuMsPerTask.toFixed(2)} ms of CPU a task`,
        );
      }
    }
    return {
      B6: { ours: rates.process, other: rates.sdk },
      "B6/cpu": { ours: cpu.process, other: cpu.sdk },
      "B6/thread": { ours: rates.thread, other: rates.sdk },
      "B6/thread-cpu": { ours: cpu.thread, other: cpu.sdk },
    };
  },
};

function throughputRow(id: string, work: string): RowSpec {
  return {
    id,
    work,
    against: AGAINST,
    unit: "tasks/s",
    decimals: 1,
    bound: { figure: "ratio", relation: ">=", value: 1 },
  };
}

function cpuRow(id: string, work: string): RowSpec {
  return { id, work, against: AGAINST, unit: "ms", bound: { figure: "ratio", relation: "<=", value: 1 } };
}

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

/** How each side is started. */
const starters: Readonly<Record<Side, (session: Surroundings["session"]) => Promise<Worker>>> = {
  process: (session) => startOurs(session, "process"),
  thread: (session) => startOurs(session, "thread"),
  sdk: startSdk,
};

function startOurs(session: Surroundings["session"], mode: "process" | "thread"): Promise<Worker> {
  const env = { PERAGO_EXECUTION_MODE: mode, PERAGO_LOG_LEVEL: "info" };
  return session.host({ modules: session.modules("noop"), args: ["-j", String(CONCURRENCY)], env });
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
