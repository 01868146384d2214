import type { TaskDescription } from "../tasks/description.ts";
import { HOST_MARK, scrubEnvironment } from "./environment.ts";
import { ExecutorChild } from "./executor-child.ts";
import { later } from "./later.ts";
import { MAX_RSS_BYTES, START_TIMEOUT_MS } from "./limits.ts";
import { createNoteSink } from "./notes.ts";
import type { SlotOptions } from "./pool-options.ts";
import { startProcess } from "./process-carrier.ts";
import { startThread } from "./thread-carrier.ts";

/** Starts an executor with a scrubbed environment; its words go to the slot's logs. */
export function startExecutor(options: SlotOptions): ExecutorChild {
  const { clock, hostMark, nodeFlags = [], mode = "process" } = options;
  const environment = { ...scrubEnvironment(options.environment, options.secretNames), [HOST_MARK]: hostMark };
  const carrier =
    mode === "thread"
      ? startThread({ environment, maxHeapBytes: options.maxRssBytes ?? MAX_RSS_BYTES })
      : startProcess({ clock, environment, nodeFlags });
  return new ExecutorChild(carrier, { clock, ...createNoteSink(options) });
}

/** Loads the task's module in the executor; answers what stood in the way, and then it is gone (case S03). */
export async function loadTask(
  child: ExecutorChild,
  task: TaskDescription,
  options: SlotOptions,
): Promise<string | undefined> {
  const timeoutMs = options.startTimeoutMs ?? START_TIMEOUT_MS;
  const told = later(options.clock, timeoutMs, () => child.kill(`the import did not end within ${timeoutMs} ms`));
  child.send({ type: "init", modulePath: task.modulePath, exportName: task.exportName, taskName: task.name });
  const report = await child.started;
  told();
  if (report?.type === "ready") return undefined;
  if (report === undefined) return options.clean(await child.ended);
  child.kill("its task could not be loaded");
  await child.ended;
  return options.clean(`${report.message}. ${report.hint}`);
}
