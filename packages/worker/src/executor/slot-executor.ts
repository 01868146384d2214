import { DEFAULT_OUTPUT_LIMIT_BYTES } from "@perago/taskdef";
import type { BodyOutcome, Executor } from "../attempt/ports/executor.ts";
import { AttemptError } from "../failure.ts";
import type { TaskDescription } from "../tasks/description.ts";
import type { Log } from "../telemetry/log.ts";
import { afterCrash, NO_CRASHES, type CrashRecord } from "./backoff.ts";
import { holdExecutor } from "./child-executor.ts";
import { HOST_MARK, scrubEnvironment } from "./environment.ts";
import { startExecutorProcess, type ExecutorProcess } from "./executor-process.ts";
import { MAX_EXECUTIONS_PER_PROCESS, MAX_RSS_BYTES, START_TIMEOUT_MS } from "./limits.ts";
import { createNoteSink } from "./notes.ts";
import type { ExecutorPoolOptions } from "./pool.ts";
import { endProcesses } from "./processes.ts";

/** What a slot may do now. */
export type SlotHealth =
  | { readonly kind: "ready" }
  | { readonly kind: "busy" }
  /** The executor cannot start, or dies in every body; the next start is due in `retryInMs`. */
  | {
      readonly kind: "crash_looping";
      readonly crashCount: number;
      readonly firstError: string;
      readonly retryInMs: number;
    };

/** The executor of one slot over its whole life: at most one process, held by at most one attempt. */
export interface SlotExecutor {
  warm(task: TaskDescription, signal: AbortSignal): Promise<void>;
  health(): SlotHealth;
  acquire(task: TaskDescription): Promise<Executor>;
  close(): Promise<void>;
}

/** The pool's options with what the pool has filled in. */
export interface SlotExecutorOptions extends ExecutorPoolOptions {
  readonly workerId: string;
  readonly log: Log;
  readonly clean: (text: string, workspacePath?: string) => string;
}

interface Loaded {
  readonly process: ExecutorProcess;
  readonly task: TaskDescription;
  executionCount: number;
}

export function createSlotExecutor(options: SlotExecutorOptions): SlotExecutor {
  const { clock, workerId } = options;
  const log = options.log.child({ workerId });
  const closing = new AbortController();
  let loaded: Loaded | undefined;
  let crashes: CrashRecord = NO_CRASHES;
  let isHeld = false;

  const noteCrash = (error: string): void => {
    crashes = afterCrash(crashes, error, clock.nowMs());
  };
  const retire = (reason: string): void => {
    if (loaded?.process.isAlive() === true) loaded.process.kill(reason);
    loaded = undefined;
  };
  /** The running process for this task, or a fresh one; throws where it cannot start. */
  const ready = async (task: TaskDescription): Promise<Loaded> => {
    if (loaded !== undefined && loaded.process.isAlive() && isSameTask(loaded.task, task)) return loaded;
    retire("another task takes its slot");
    const child = startProcess(options);
    const process = child;
    const fresh: Loaded = { process, task, executionCount: 0 };
    loaded = fresh;
    const problem = await loadTask(process, task, options);
    if (problem === undefined) return fresh;
    loaded = undefined;
    noteCrash(problem);
    const { crashCount, firstError, notBeforeMs } = crashes;
    const retryInMs = Math.max(0, Math.round(notBeforeMs - clock.nowMs()));
    log.error("the executor cannot start", {
      task: task.name,
      error: firstError,
      lastError: problem,
      crashCount,
      retryInMs,
    });
    throw cannotStart(task, firstError ?? problem);
  };
  const backOff = async (signal: AbortSignal): Promise<void> => {
    const delayMs = crashes.notBeforeMs - clock.nowMs();
    if (delayMs > 0) await clock.wait(delayMs, AbortSignal.any([signal, closing.signal]));
  };
  const onOutcome = (outcome: BodyOutcome, isOwnDeath: boolean): void => {
    if (outcome.kind !== "lost") crashes = NO_CRASHES;
    else if (isOwnDeath) noteCrash(outcome.message);
    if (outcome.kind === "lost") log.warn("an executor is lost", { task: loaded?.task.name, reason: outcome.message });
  };
  const onRelease = (held: Loaded, rssBytes: number | undefined): void => {
    isHeld = false;
    held.executionCount += 1;
    const maxExecutions = options.maxExecutions ?? MAX_EXECUTIONS_PER_PROCESS;
    const isTooLarge = rssBytes !== undefined && rssBytes > (options.maxRssBytes ?? MAX_RSS_BYTES);
    if (!held.process.isAlive()) loaded = undefined;
    else if (held.executionCount >= maxExecutions) retire(`it has served ${held.executionCount} executions`);
    else if (isTooLarge) retire(`it holds ${rssBytes} bytes`);
  };
  return {
    warm: async (task, signal) => {
      while (!signal.aborted && !closing.signal.aborted && !isHeld) {
        await backOff(signal);
        if (signal.aborted || closing.signal.aborted) return;
        try {
          await ready(task);
          return;
        } catch (error) {
          if (!(error instanceof AttemptError)) throw error;
        }
      }
    },
    health: () => {
      if (isHeld) return { kind: "busy" };
      const retryInMs = Math.max(0, crashes.notBeforeMs - clock.nowMs());
      const { crashCount, firstError } = crashes;
      if (firstError === undefined || retryInMs === 0) return { kind: "ready" };
      return { kind: "crash_looping", crashCount, firstError, retryInMs };
    },
    acquire: async (task) => {
      if (isHeld) throw new Error(`the executor of ${workerId} is held already`);
      isHeld = true;
      try {
        await backOff(closing.signal);
        const held = await ready(task);
        const outputLimitBytes = options.outputLimitBytes ?? DEFAULT_OUTPUT_LIMIT_BYTES;
        const release = (rssBytes: number | undefined): void => onRelease(held, rssBytes);
        return holdExecutor({
          process: held.process,
          clock,
          outputLimitBytes,
          clean: options.clean,
          onOutcome,
          onRelease: release,
        });
      } catch (error) {
        isHeld = false;
        throw error;
      }
    },
    close: async () => {
      closing.abort();
      const process = loaded?.process;
      retire("the worker stops");
      await process?.ended;
      if (process?.pid !== undefined) await endProcesses({ groupId: process.pid, marks: [] }, clock);
    },
  };
}

function startProcess(options: SlotExecutorOptions): ExecutorProcess {
  const { onNote, onLine } = createNoteSink(options);
  return startExecutorProcess({
    clock: options.clock,
    environment: { ...scrubEnvironment(options.environment, options.secretNames), [HOST_MARK]: options.hostMark },
    nodeFlags: options.nodeFlags ?? [],
    onNote,
    onLine,
  });
}

/** Loads the module in the process; answers what stood in the way. */
async function loadTask(
  process: ExecutorProcess,
  task: TaskDescription,
  options: SlotExecutorOptions,
): Promise<string | undefined> {
  const timeoutMs = options.startTimeoutMs ?? START_TIMEOUT_MS;
  const stop = new AbortController();
  void options.clock.wait(timeoutMs, stop.signal).then(() => {
    if (!stop.signal.aborted) process.kill(`the import did not end within ${timeoutMs} ms`);
  });
  process.send({ type: "init", modulePath: task.modulePath, exportName: task.exportName, taskName: task.name });
  const report = await process.started;
  stop.abort();
  if (report?.type === "ready") return undefined;
  if (report === undefined) return options.clean(await process.ended);
  process.kill("its task could not be loaded");
  await process.ended;
  return options.clean(`${report.message}. ${report.hint}`);
}

function cannotStart(task: TaskDescription, error: string): AttemptError {
  return new AttemptError({
    code: "executor_lost",
    message: `the executor of ${task.name} cannot start: ${error}`,
    hint: "Run `perago check` on the task module; it loads it the same way.",
  });
}

function isSameTask(a: TaskDescription, b: TaskDescription): boolean {
  return a.modulePath === b.modulePath && a.exportName === b.exportName;
}
