import { DEFAULT_OUTPUT_LIMIT_BYTES } from "@perago/taskdef";
import type { BodyOutcome, Executor } from "../attempt/ports/executor.ts";
import { AttemptError } from "../failure.ts";
import type { TaskDescription } from "../tasks/description.ts";
import type { Log } from "../telemetry/log.ts";
import { afterCrash, NO_CRASHES, type CrashRecord } from "./backoff.ts";
import { holdExecutor } from "./child-executor.ts";
import type { ExecutorChild } from "./executor-child.ts";
import { MAX_EXECUTIONS_PER_PROCESS, MAX_RSS_BYTES } from "./limits.ts";
import type { SlotOptions } from "./pool-options.ts";
import { endProcesses } from "./processes.ts";
import { loadTask, startExecutor } from "./start-task.ts";

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

interface Loaded {
  readonly child: ExecutorChild;
  readonly task: TaskDescription;
  /** Resolves with what stood in the way of the start, or nothing. */
  readonly problem: Promise<string | undefined>;
  executionCount: number;
}

/** The executor of one slot over its whole life: at most one process, held by at most one attempt. */
export class SlotExecutor {
  readonly #options: SlotOptions;
  readonly #log: Log;
  readonly #closing = new AbortController();
  #loaded: Loaded | undefined;
  #crashes: CrashRecord = NO_CRASHES;
  #isHeld = false;

  constructor(options: SlotOptions) {
    this.#options = options;
    this.#log = options.log.child({ workerId: options.workerId });
  }

  /** See `ExecutorPool.warm`. */
  async warm(task: TaskDescription, signal: AbortSignal): Promise<void> {
    const stop = AbortSignal.any([signal, this.#closing.signal]);
    // Bounded by the signal; the backoff keeps it from spinning.
    while (!stop.aborted) {
      await this.#backOff(stop);
      if (stop.aborted || this.#isHeld) return;
      try {
        await this.#ready(task);
        return;
      } catch (error) {
        if (!(error instanceof AttemptError)) throw error;
      }
    }
  }

  /** See `ExecutorPool.health`. */
  health(): SlotHealth {
    if (this.#isHeld) return { kind: "busy" };
    const { crashCount, firstError, notBeforeMs } = this.#crashes;
    const retryInMs = Math.max(0, notBeforeMs - this.#options.clock.nowMs());
    if (firstError === undefined || retryInMs === 0) return { kind: "ready" };
    return { kind: "crash_looping", crashCount, firstError, retryInMs };
  }

  /** See `ExecutorPool.acquire`. */
  async acquire(task: TaskDescription): Promise<Executor> {
    const { workerId, clock, clean } = this.#options;
    if (this.#isHeld) throw new Error(`the executor of ${workerId} is held already`);
    this.#isHeld = true;
    try {
      await this.#backOff(this.#closing.signal);
      const loaded = await this.#ready(task);
      return holdExecutor({
        process: loaded.child,
        clock,
        clean,
        outputLimitBytes: this.#options.outputLimitBytes ?? DEFAULT_OUTPUT_LIMIT_BYTES,
        onOutcome: (outcome, isOwnDeath) => this.#noteOutcome(task, outcome, isOwnDeath),
        onRelease: (rssBytes) => this.#takeBack(loaded, rssBytes),
      });
    } catch (error) {
      this.#isHeld = false;
      throw error;
    }
  }

  /** Kills the process and waits until it and its group are gone. */
  async close(): Promise<void> {
    this.#closing.abort();
    const child = this.#loaded?.child;
    this.#retire("the worker stops");
    await child?.ended;
    if (child?.pid !== undefined) await endProcesses({ groupId: child.pid, marks: [] }, this.#options.clock);
  }

  /** The running process for this task, or a fresh one; throws where it cannot start. */
  async #ready(task: TaskDescription): Promise<Loaded> {
    const known = this.#loaded;
    if (known !== undefined && known.child.isAlive() && isSameTask(known.task, task)) {
      const problem = await known.problem;
      if (problem === undefined) return known;
      throw cannotStart(task, problem);
    }
    this.#retire("another task takes its slot");
    if (this.#closing.signal.aborted) throw cannotStart(task, "the worker is stopping");
    const child = startExecutor(this.#options);
    const loaded: Loaded = { child, task, problem: loadTask(child, task, this.#options), executionCount: 0 };
    this.#loaded = loaded;
    const problem = await loaded.problem;
    if (problem === undefined) return loaded;
    if (this.#loaded === loaded) this.#loaded = undefined;
    // One that was ended by our own stop has not failed.
    if (this.#closing.signal.aborted) throw cannotStart(task, "the worker is stopping");
    throw this.#noteStartFailure(task, problem);
  }

  #noteStartFailure(task: TaskDescription, problem: string): AttemptError {
    const { clock } = this.#options;
    this.#crashes = afterCrash(this.#crashes, problem, clock.nowMs());
    const { crashCount, firstError = problem, notBeforeMs } = this.#crashes;
    const retryInMs = Math.max(0, Math.round(notBeforeMs - clock.nowMs()));
    const fields = { task: task.name, error: firstError, lastError: problem, crashCount, retryInMs };
    this.#log.error("the executor cannot start", fields);
    return cannotStart(task, firstError);
  }

  #noteOutcome(task: TaskDescription, outcome: BodyOutcome, isOwnDeath: boolean): void {
    if (outcome.kind !== "lost") {
      this.#crashes = NO_CRASHES;
      return;
    }
    // What we killed ourselves is no crash and has no backoff (fault H4).
    if (isOwnDeath) this.#crashes = afterCrash(this.#crashes, outcome.message, this.#options.clock.nowMs());
    this.#log.warn("an executor is lost", { task: task.name, reason: outcome.message });
  }

  #takeBack(loaded: Loaded, rssBytes: number | undefined): void {
    this.#isHeld = false;
    loaded.executionCount += 1;
    const { maxExecutions = MAX_EXECUTIONS_PER_PROCESS, maxRssBytes = MAX_RSS_BYTES } = this.#options;
    if (loaded.executionCount >= maxExecutions) this.#retire(`it has served ${loaded.executionCount} executions`);
    else if (rssBytes !== undefined && rssBytes > maxRssBytes) this.#retire(`it holds ${rssBytes} bytes`);
  }

  #retire(reason: string): void {
    if (this.#loaded?.child.isAlive() === true) {
      this.#log.debug("an executor is ended", { reason });
      this.#loaded.child.kill(reason);
    }
    this.#loaded = undefined;
  }

  async #backOff(signal: AbortSignal): Promise<void> {
    const delayMs = this.#crashes.notBeforeMs - this.#options.clock.nowMs();
    if (delayMs > 0) await this.#options.clock.wait(delayMs, signal);
  }
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
