import type { BodyRequest } from "../attempt/ports/executor.ts";
import { SILENT_LOG, type Fields } from "../telemetry/log.ts";
import { MAX_NOTES_PER_SECOND } from "./limits.ts";
import type { Note } from "./messages.ts";
import type { SlotOptions } from "./pool-options.ts";

const WINDOW_MS = 1_000;

/**
 * Takes what an executor logs, prints and measures, at a bounded rate; what is over it is counted as lost. A line is of
 * the execution that `onRun` was last told of.
 */
export function createNoteSink(options: SlotOptions): {
  readonly onRun: (request: BodyRequest) => void;
  readonly onNote: (note: Note) => void;
  readonly onLine: (stream: "stdout" | "stderr", line: string) => void;
} {
  const { clock, workerId } = options;
  const log = options.bodyLog?.(workerId) ?? SILENT_LOG;
  let windowStartMs = clock.nowMs();
  let windowCount = 0;
  let lostCount = 0;
  let execution: Fields = {};

  const mayTake = (): boolean => {
    if (clock.nowMs() - windowStartMs >= WINDOW_MS) {
      windowStartMs = clock.nowMs();
      windowCount = 0;
      if (lostCount > 0) log.warn("lines of the executor were dropped: too many in a second", { lostCount });
      lostCount = 0;
    }
    windowCount += 1;
    if (windowCount <= MAX_NOTES_PER_SECOND) return true;
    lostCount += 1;
    options.counters?.increment("log_lines_lost");
    return false;
  };
  return {
    onRun: ({ attempt, executionId }) => {
      const { taskDefName: task, workflowInstanceId, taskId, retryCount } = attempt;
      execution = { task, workflowInstanceId, taskId, retryCount, executionId };
    },
    onLine: (stream, line) => {
      if (mayTake()) log.info(line, { ...execution, stream });
    },
    onNote: (note) => {
      if (note.type === "log") options.counters?.increment("log_lines_lost", {}, note.lostCount);
      if (!mayTake()) return;
      if (note.type === "metric") options.onMetric?.(workerId, note);
      else if (note.type === "progress") options.onProgress?.(workerId, note);
      else log[note.level](note.message, { ...execution, ...bodyFields(note.fieldsJson, note.lostCount) });
    },
  };
}

/** Below a name of their own, so that a body's fields cannot pass for the host's. */
function bodyFields(fieldsJson: string | undefined, lostCount: number): Fields {
  const lost = lostCount > 0 ? { lostCount } : {};
  if (fieldsJson === undefined) return lost;
  try {
    const fields: unknown = JSON.parse(fieldsJson);
    return { ...lost, fields };
  } catch {
    return { ...lost, fields: fieldsJson };
  }
}
