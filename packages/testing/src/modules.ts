import { fileURLToPath } from "node:url";
import { describeModules, systemClock, type TaskDescription } from "@perago/worker";
import { processEnvironment } from "./config/process-environment.ts";
import { TestingError } from "./errors.ts";

/** A task module: a path from the working folder, or a `file:` URL, as `new URL("../src/task.ts", import.meta.url)`. */
export type TaskModule = string | URL;

/** The tasks of the modules as data. Throws a TestingError with all findings where one has an error. */
export async function describeTasks(modules: readonly TaskModule[]): Promise<readonly TaskDescription[]> {
  const environment = processEnvironment();
  const { tasks, findings } = await describeModules(modules.map(pathOf), { clock: systemClock, environment });
  const errors = [...findings, ...tasks.flatMap((task) => task.findings)].filter(
    ({ severity }) => severity === "error",
  );
  const [first] = errors;
  if (first === undefined) return tasks;
  throw new TestingError("module_refused", errors.map(({ message }) => message).join("; "), first.hint);
}

/** The one task of that name, or the only one. Throws a TestingError where that is none. */
export function chooseTask(tasks: readonly TaskDescription[], name: string | undefined): TaskDescription {
  const [task, ...others] = name === undefined ? tasks : tasks.filter((each) => each.name === name);
  if (task !== undefined && others.length === 0) return task;
  const names = tasks.map((each) => each.name).join(", ");
  const message = name === undefined ? `there are ${tasks.length} tasks` : `there is no task ${name}`;
  throw new TestingError("task_unknown", message, `Name one with \`task\`: ${names}.`);
}

function pathOf(module: TaskModule): string {
  const isUrl = module instanceof URL || module.startsWith("file:");
  return isUrl ? fileURLToPath(module) : module;
}
