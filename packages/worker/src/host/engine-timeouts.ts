import { requiredResponseSeconds } from "@perago/budget";
import type { EngineTimeouts } from "../conductor/polled-task.ts";
import type { TaskDescription } from "../tasks/description.ts";

/**
 * The task as this attempt runs it (case C06): the engine keeps the definition that the workflow started with, and its
 * timeouts count, not the code's. The warnings are what is worth a word, once for each pair of timeouts. Pure.
 */
export function withEngineTimeouts(
  task: TaskDescription,
  engine: EngineTimeouts,
): { readonly task: TaskDescription; readonly warnings: readonly string[] } {
  const timeoutSeconds = engine.timeoutSeconds ?? task.timeoutSeconds;
  const responseSeconds = engine.responseTimeoutSeconds;
  const warnings: string[] = [];
  if (responseSeconds !== task.responseSeconds || timeoutSeconds !== task.timeoutSeconds) {
    warnings.push(
      `${task.name}: Conductor hands out response timeout ${responseSeconds} s and timeout ${timeoutSeconds} s, ` +
        `the code says ${task.responseSeconds} s and ${task.timeoutSeconds} s; Conductor's count`,
    );
  }
  const neededSeconds = task.publishBudget === undefined ? 0 : requiredResponseSeconds(task.publishBudget);
  if (responseSeconds > 0 && responseSeconds < neededSeconds) {
    warnings.push(
      `${task.name}: the response timeout of ${responseSeconds} s is shorter than the ${neededSeconds} s ` +
        "that the publish budget needs",
    );
  }
  return { task: { ...task, timeoutSeconds, responseSeconds }, warnings };
}
