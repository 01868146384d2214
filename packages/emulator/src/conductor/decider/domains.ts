import { isSystemTask, type TaskRun } from "../model/run.ts";
import type { Draft } from "./draft.ts";

const NO_DOMAIN = "NO_DOMAIN";

/** Gives worker tasks the domains that the workflow was started with: `*` for all, a task type for its own. */
export function setDomains(draft: Draft, tasks: readonly TaskRun[]): void {
  const { taskToDomain } = draft.workflow;
  for (const task of tasks) {
    if (isSystemTask(task)) continue;
    const own = taskToDomain[task.taskType] ?? taskToDomain["*"];
    if (own !== undefined && own.trim() !== "") task.domain = chooseDomain(draft, task.taskType, own);
  }
}

function chooseDomain(draft: Draft, taskType: string, text: string): string | undefined {
  const listed = text.split(",").map((one) => one.trim());
  const named = listed.filter((one) => one.toUpperCase() !== NO_DOMAIN);
  const active = draft.env.activeDomain(taskType, named);
  if (active !== undefined) return active;
  const last = listed.at(-1);
  return last?.toUpperCase() === NO_DOMAIN ? undefined : last;
}
