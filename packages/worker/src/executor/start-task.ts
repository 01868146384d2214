import type { TaskDescription } from "../tasks/description.ts";
import { HOST_MARK, scrubEnvironment } from "./environment.ts";
import { startExecutorProcess, type ExecutorProcess } from "./executor-process.ts";
import { START_TIMEOUT_MS } from "./limits.ts";
import { createNoteSink } from "./notes.ts";
import type { SlotOptions } from "./pool-options.ts";

/** Forks an executor with a scrubbed environment; its words go to the slot's logs. */
export function startProcess(options: SlotOptions): ExecutorProcess {
  const { onNote, onLine } = createNoteSink(options);
  return startExecutorProcess({
    clock: options.clock,
    environment: { ...scrubEnvironment(options.environment, options.secretNames), [HOST_MARK]: options.hostMark },
    nodeFlags: options.nodeFlags ?? [],
    onNote,
    onLine,
  });
}

/** Loads the task's module in the process; answers what stood in the way, and then the process is gone (case S03). */
export async function loadTask(
  child: ExecutorProcess,
  task: TaskDescription,
  options: SlotOptions,
): Promise<string | undefined> {
  const timeoutMs = options.startTimeoutMs ?? START_TIMEOUT_MS;
  const stop = new AbortController();
  void options.clock.wait(timeoutMs, stop.signal).then(() => {
    if (!stop.signal.aborted) child.kill(`the import did not end within ${timeoutMs} ms`);
  });
  child.send({ type: "init", modulePath: task.modulePath, exportName: task.exportName, taskName: task.name });
  const report = await child.started;
  stop.abort();
  if (report?.type === "ready") return undefined;
  if (report === undefined) return options.clean(await child.ended);
  child.kill("its task could not be loaded");
  await child.ended;
  return options.clean(`${report.message}. ${report.hint}`);
}
