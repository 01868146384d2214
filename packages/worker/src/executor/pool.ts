import { readdirSync } from "node:fs";
import type { Clock } from "../attempt/ports/clock.ts";
import type { Executor } from "../attempt/ports/executor.ts";
import { AttemptError } from "../failure.ts";
import type { TaskDescription } from "../tasks/description.ts";
import { SILENT_LOG, type Log } from "../telemetry/log.ts";
import type { Counters } from "../telemetry/counters.ts";
import { createRedactor } from "../telemetry/redact.ts";
import { cleanMessage } from "./clean-message.ts";
import { MAX_TEXT_LENGTH } from "./limits.ts";
import type { MetricNote, ProgressNote } from "./messages.ts";
import { createSlotExecutor, type SlotExecutor, type SlotHealth } from "./slot-executor.ts";

/** What an {@link ExecutorPool} needs from its host. */
export interface ExecutorPoolOptions {
  readonly clock: Clock;
  /** The host's environment, which executors get scrubbed ({@link scrubEnvironment}). */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Further names that executors must not see. */
  readonly secretNames?: readonly string[];
  /** Secret values that no reason and no log line may show. */
  readonly secrets?: readonly string[];
  /** Marks all processes of this host, e.g. a hash of its workspace root; see `endStrays` (case S06). */
  readonly hostMark: string;
  /** The host's log, for starts, ends and "cannot start". */
  readonly log?: Log;
  /** Where the output of executors and the `log` of bodies go. */
  readonly bodyLog?: (workerId: string) => Log;
  readonly counters?: Counters;
  readonly onMetric?: (workerId: string, metric: MetricNote) => void;
  readonly onProgress?: (workerId: string, progress: ProgressNote) => void;
  /** `PERAGO_OUTPUT_MAX_SIZE`, bytes (rule I3). Default 3,000,000. */
  readonly outputLimitBytes?: number;
  /** Executions before a process is replaced. Default 200. */
  readonly maxExecutions?: number;
  /** Resident memory above which a process is replaced. Default 512 MiB. */
  readonly maxRssBytes?: number;
  /** Time from fork to the loaded module. Default 30 s. */
  readonly startTimeoutMs?: number;
  /** Further Node flags of executors. Default none. */
  readonly nodeFlags?: readonly string[];
}

/** The place of an executor: one process each. */
export interface ExecutorSlot {
  /** Prefix and 4-digit slot. */
  readonly workerId: string;
}

/** The executors of one host: one warm process for each slot, started when first needed and replaced when it dies. */
export interface ExecutorPool {
  /**
   * Starts the slot's executor and waits until the task's module is loaded; keeps trying with backoff (case S03).
   * Call it before polling, so that no task is taken for an executor that cannot start. Ends early when the signal fires.
   */
  warm(task: TaskDescription, slot: ExecutorSlot, signal: AbortSignal): Promise<void>;
  /** Whether the slot could work now, and if not, since when and why. */
  health(slot: ExecutorSlot): SlotHealth;
  /**
   * Holds the slot's executor until `release`. One start at most is tried, after what is left of the backoff.
   * Throws `AttemptError` `executor_lost` where it cannot start.
   */
  acquire(task: TaskDescription, slot: ExecutorSlot): Promise<Executor>;
  /** Kills all executors and waits until they are gone. */
  close(): Promise<void>;
}

/** Makes the pool; no process starts before it is needed. */
export function createExecutorPool(options: ExecutorPoolOptions): ExecutorPool {
  const redactor = createRedactor(options.secrets ?? []);
  const rootNames: ReadonlySet<string> = new Set(readdirSync("/"));
  const slots = new Map<string, SlotExecutor>();
  let isClosed = false;
  const clean = (text: string, workspacePath?: string): string =>
    cleanMessage(
      text,
      { redactor, rootNames, ...(workspacePath === undefined ? {} : { workspacePath }) },
      MAX_TEXT_LENGTH,
    );

  const slotOf = (slot: ExecutorSlot): SlotExecutor => {
    if (isClosed) throw new AttemptError({ code: "executor_lost", message: "the worker is stopping", hint: "None." });
    const known = slots.get(slot.workerId);
    if (known !== undefined) return known;
    const fresh = createSlotExecutor({ ...options, log: options.log ?? SILENT_LOG, clean, workerId: slot.workerId });
    slots.set(slot.workerId, fresh);
    return fresh;
  };
  return {
    warm: (task, slot, signal) => slotOf(slot).warm(task, signal),
    health: (slot) => slots.get(slot.workerId)?.health() ?? { kind: "ready" },
    acquire: async (task, slot) => slotOf(slot).acquire(task),
    close: async () => {
      isClosed = true;
      await Promise.all([...slots.values()].map((slot) => slot.close()));
    },
  };
}
