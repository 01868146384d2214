import type { Executor } from "../attempt/ports/executor.ts";
import { AttemptError } from "../failure.ts";
import type { TaskDescription } from "../tasks/description.ts";
import { SILENT_LOG } from "../telemetry/log.ts";
import { rootNamesHere } from "../telemetry/host-paths.ts";
import { createRedactor } from "../telemetry/redact.ts";
import { cleanMessage } from "./clean-message.ts";
import { MAX_TEXT_LENGTH } from "./limits.ts";
import type { ExecutorPoolOptions } from "./pool-options.ts";
import { SlotExecutor, type SlotHealth } from "./slot-executor.ts";

/** The place of an executor: one process each. */
export interface ExecutorSlot {
  /** Prefix and 4-digit slot. */
  readonly workerId: string;
}

/** The executors of one host: one warm process a slot, started when first needed, replaced when it has died. */
export interface ExecutorPool {
  /**
   * Starts the slot's executor and waits until the task's module is loaded; keeps trying with backoff (case S03).
   * Called before polling, it keeps a host from taking tasks that cannot run. Ends early when the signal fires.
   */
  warm(task: TaskDescription, slot: ExecutorSlot, signal: AbortSignal): Promise<void>;
  /** Whether the slot could work now, and if not, why. */
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
  const rootNames = rootNamesHere();
  const slots = new Map<string, SlotExecutor>();
  let isClosed = false;
  const clean = (text: string, workspacePath?: string): string => {
    const workspace = workspacePath === undefined ? {} : { workspacePath };
    return cleanMessage(text, { redactor, rootNames, ...workspace }, MAX_TEXT_LENGTH);
  };
  const slotOf = ({ workerId }: ExecutorSlot): SlotExecutor => {
    if (isClosed) {
      const hint = "The engine hands the task out again.";
      throw new AttemptError({ code: "executor_lost", message: "the worker is stopping", hint });
    }
    const known = slots.get(workerId);
    if (known !== undefined) return known;
    const fresh = new SlotExecutor({ ...options, log: options.log ?? SILENT_LOG, clean, workerId });
    slots.set(workerId, fresh);
    return fresh;
  };
  return {
    warm: async (task, slot, signal) => slotOf(slot).warm(task, signal),
    health: ({ workerId }) => slots.get(workerId)?.health() ?? { kind: "ready" },
    acquire: async (task, slot) => slotOf(slot).acquire(task),
    close: async () => {
      isClosed = true;
      await Promise.all([...slots.values()].map((slot) => slot.close()));
    },
  };
}
