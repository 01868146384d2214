import { z } from "zod";
import { holdsControl } from "../telemetry/line.ts";
import type { PolledTask } from "../attempt/ports/attempt-source.ts";

// Ids go into paths, metadata and messages: half a letter, a dot segment or a control character would name another
// thing, or nothing.
const text = z
  .string()
  .min(1)
  .max(1000)
  .refine((value) => value.isWellFormed() && !/^\.{1,2}$/.test(value) && !holdsControl(value), "no name");
const whole = z.int().min(0);

/** Fields that name one hand-out of an attempt; the engine always sends them (rule A1). */
export const wireIdentitySchema = z.object({
  workflowInstanceId: text,
  taskId: text,
  retryCount: whole,
  scheduledTime: whole,
  pollCount: whole,
  // An answer without a worker id is nobody's: it equals no host's.
  workerId: z
    .string()
    .nullish()
    .transform((value) => value ?? ""),
  status: text,
});

/** A task in a poll's answer. Unknown fields are dropped: engines add their own. */
const wireTaskSchema = wireIdentitySchema.extend({
  taskDefName: text,
  referenceTaskName: text,
  iteration: whole.nullish(),
  seq: whole.nullish(),
  retriedTaskId: z.string().nullish(),
  inputData: z.unknown(),
  externalInputPayloadStoragePath: z.string().nullish(),
  responseTimeoutSeconds: whole.nullish(),
  taskDefinition: z
    .object({ timeoutSeconds: whole.nullish(), responseTimeoutSeconds: whole.nullish(), updateTime: whole.nullish() })
    .nullish(),
});

/** The timeouts that count for this attempt: those of the definition that its workflow started with (case C06). */
export interface EngineTimeouts {
  readonly responseTimeoutSeconds: number;
  /** Absent where the engine sent no definition along. */
  readonly timeoutSeconds?: number;
}

/** One readable task of a poll's answer. */
export interface ParsedTask {
  readonly polled: PolledTask;
  readonly engineTimeouts: EngineTimeouts;
}

/** A task that was handed out and cannot be read: it waits out its response timeout, and we can only say so. */
export interface UnreadableTask {
  readonly taskId: string | undefined;
  readonly problem: string;
}

/** Turns one element of a poll's answer into a `PolledTask`. Both times are monotonic milliseconds. */
export function parsePolledTask(
  wire: unknown,
  times: { readonly pollSentAtMs: number; readonly receivedAtMs: number },
): { readonly ok: true; readonly task: ParsedTask } | { readonly ok: false; readonly unreadable: UnreadableTask } {
  const parsed = wireTaskSchema.safeParse(wire);
  if (!parsed.success) {
    const named = z.object({ taskId: text }).safeParse(wire);
    return {
      ok: false,
      unreadable: {
        taskId: named.success ? named.data.taskId : undefined,
        problem: parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; "),
      },
    };
  }
  const task = parsed.data;
  const responseTimeoutSeconds = task.responseTimeoutSeconds ?? 0;
  const timeoutSeconds = task.taskDefinition?.timeoutSeconds;
  return {
    ok: true,
    task: {
      polled: {
        workflowInstanceId: task.workflowInstanceId,
        taskId: task.taskId,
        retryCount: task.retryCount,
        scheduledTime: task.scheduledTime,
        pollCount: task.pollCount,
        workerId: task.workerId,
        taskDefName: task.taskDefName,
        referenceTaskName: task.referenceTaskName,
        iteration: task.iteration ?? 0,
        ...(isText(task.retriedTaskId) ? { retriedTaskId: task.retriedTaskId } : {}),
        inputData: task.inputData ?? {},
        ...(isText(task.externalInputPayloadStoragePath)
          ? { externalInputPath: task.externalInputPayloadStoragePath }
          : {}),
        responseTimeoutSeconds,
        ...times,
      },
      engineTimeouts: {
        responseTimeoutSeconds,
        ...(typeof timeoutSeconds === "number" ? { timeoutSeconds } : {}),
      },
    },
  };
}

function isText(value: string | null | undefined): value is string {
  return typeof value === "string" && value !== "";
}
