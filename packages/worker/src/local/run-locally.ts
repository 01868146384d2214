import { randomBytes } from "node:crypto";
import { DEFAULT_OUTPUT_LIMIT_BYTES } from "@perago/taskdef";
import { createExecutorPool } from "../executor/pool.ts";
import { AttemptError } from "../failure.ts";
import type { TaskDescription } from "../tasks/description.ts";
import { driveLocally, failed, LOCAL_WORKER_ID, type LocalDrive, type LocalRun } from "./drive-locally.ts";
import { asBodyLine, lineLog, type LocalLogLine } from "./line-log.ts";

/** What {@link runLocally} needs. */
export interface LocalRunOptions extends LocalDrive {
  readonly task: TaskDescription;
  /** The caller's environment; the body gets it scrubbed. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Told of every line. Default: nobody. */
  readonly onLog?: (line: LocalLogLine) => void;
}

/**
 * Runs one body in an executor process on a local folder, without any server: params parsed, pre guardrails, body, post
 * guardrails, result checked, in the order and by the code of a read-only attempt. Nothing is published and nothing is
 * removed. It never throws over the task.
 */
export async function runLocally(options: LocalRunOptions): Promise<LocalRun> {
  const { task } = options;
  if (task.workspace !== undefined && options.folder === undefined) throw new Error(`${task.name} needs a folder`);
  const executors = createExecutorPool({
    clock: options.clock,
    environment: options.environment,
    hostMark: randomBytes(8).toString("hex"),
    bodyLog: () => lineLog((line) => options.onLog?.(asBodyLine(line))),
    outputLimitBytes: options.outputLimitBytes ?? DEFAULT_OUTPUT_LIMIT_BYTES,
  });
  try {
    return await driveLocally(options, await executors.acquire(task, { workerId: LOCAL_WORKER_ID }));
  } catch (error) {
    // An executor that cannot start; what comes later is an outcome.
    if (!(error instanceof AttemptError)) throw error;
    return failed({ code: error.code, message: error.message, hint: error.hint });
  } finally {
    await executors.close();
  }
}
