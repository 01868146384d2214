import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Clock } from "../../attempt/ports/clock.ts";
import type { BodyOutcome, BodyRequest, Executor } from "../../attempt/ports/executor.ts";
import { describeModules } from "../../tasks/describe-modules.ts";
import type { TaskDescription } from "../../tasks/description.ts";
import { createExecutorPool, type ExecutorPool } from "../pool.ts";
import type { ExecutorPoolOptions } from "../pool-options.ts";

/** Real monotonic time. */
export const realClock: Clock = {
  nowMs: () => performance.now(),
  wait: (delayMs, signal) =>
    delay(delayMs, undefined, signal === undefined ? {} : { signal }).then(
      () => undefined,
      () => undefined,
    ),
};

/** Absolute path of a file in `fixtures/`. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
}

/** The description of one task of a fixture, made by a real describe child. */
export async function describeFixture(name: string, taskName: string): Promise<TaskDescription> {
  const { tasks, findings } = await describeModules([fixture(name)], { clock: realClock, environment: process.env });
  const task = tasks.find((candidate) => candidate.name === taskName);
  if (task === undefined) throw new Error(`${taskName} is not in ${name}: ${JSON.stringify(findings)}`);
  return task;
}

/** A pool of real processes that is closed at the end of the block. */
export function openPool(
  options: Partial<ExecutorPoolOptions> = {},
): AsyncDisposable & { readonly pool: ExecutorPool } {
  const pool = createExecutorPool({
    clock: realClock,
    environment: process.env,
    hostMark: `test-${process.pid}`,
    ...options,
  });
  return { pool, [Symbol.asyncDispose]: () => pool.close() };
}

/** A temporary folder that is removed at the end of the block. */
export async function openFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), "perago-executor-")));
  return { path: folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

let executionCount = 0;

/** A request for a body in a folder, with an execution id of its own. */
export function requestFor(folder: string): BodyRequest {
  executionCount += 1;
  return {
    workspace: {
      path: folder,
      repository: "songs",
      branch: "main",
      ref: "a".repeat(64),
      prefix: "/test",
      readOnly: false,
    },
    attempt: {
      workflowInstanceId: "wf-1",
      taskId: "task-1",
      retryCount: 0,
      taskDefName: "test.body",
      referenceTaskName: "build",
      iteration: 0,
      workerId: "w0001",
      inputRef: "a".repeat(64),
    },
    executionId: `test${process.pid}x${executionCount}`,
  };
}

/** Validates and runs one case of the `test.body` task. */
export async function runCase(executor: Executor, folder: string, name: string, size = 0): Promise<BodyOutcome> {
  const validated = await executor.validate({ params: { case: name, size } });
  if (!validated.ok) throw new Error(validated.message);
  return executor.run(requestFor(folder));
}

/** Whether a process that can still do something has this pid. */
export async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return stat !== "" && !/\) [ZX] /.test(stat);
}

/** Waits until the condition holds; fails after that time. */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 10_000): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadlineMs) throw new Error(`the condition did not come to hold within ${timeoutMs} ms`);
    await delay(10);
  }
}
