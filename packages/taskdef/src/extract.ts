import type { AnyTaskDefinition } from "./define-task.ts";
import { hasErrors, type Finding } from "./finding.ts";
import type { TaskDef, TaskSchemaDef } from "./task-def.ts";
import { taskSchema } from "./task-schema.ts";

/** A TaskDef with the warnings to show, or all findings where an error stands in the way. */
export type ExtractedTaskDef =
  | { readonly ok: true; readonly taskDef: TaskDef; readonly findings: readonly Finding[] }
  | { readonly ok: false; readonly findings: readonly Finding[] };

/**
 * The TaskDef of a task: every field of the mapping, in a fixed order; the publish budget is never in it. Refuses where
 * the task's findings or its schemas hold an error, and lists all of them.
 */
export function toTaskDef(task: AnyTaskDefinition): ExtractedTaskDef {
  const findings = [...task.findings];
  const isSchemaBroken = findings.some(({ code }) => code === "schema_shape");
  if (isSchemaBroken) return { ok: false, findings };
  const input = taskSchema(task, "input");
  const output = taskSchema(task, "output");
  if (!input.ok) findings.push(...input.findings);
  if (!output.ok) findings.push(...output.findings);
  if (!input.ok || !output.ok || hasErrors(findings)) return { ok: false, findings };
  return { ok: true, taskDef: buildTaskDef(task, input.value, output.value), findings };
}

function buildTaskDef(task: AnyTaskDefinition, inputSchema: TaskSchemaDef, outputSchema: TaskSchemaDef): TaskDef {
  const { retry, timeout, limits } = task.controls;
  const workspaceKeys = task.workspace === undefined ? [] : ["workspace"];
  return {
    name: task.name,
    ...(task.description === undefined ? {} : { description: task.description }),
    ownerEmail: task.ownerEmail,
    retryCount: retry.count,
    retryLogic: retry.logic,
    retryDelaySeconds: retry.delaySeconds,
    maxRetryDelaySeconds: retry.maxDelaySeconds,
    backoffJitterMs: retry.backoffJitterMs,
    timeoutPolicy: timeout.policy,
    timeoutSeconds: timeout.seconds,
    // Always written: left out, the engine makes it an hour (case C01).
    responseTimeoutSeconds: timeout.responseSeconds,
    ...(timeout.pollSeconds === undefined ? {} : { pollTimeoutSeconds: timeout.pollSeconds }),
    totalTimeoutSeconds: timeout.totalSeconds,
    ...(limits.concurrentExecutions === undefined ? {} : { concurrentExecLimit: limits.concurrentExecutions }),
    ...(limits.rateLimit === undefined
      ? {}
      : {
          rateLimitPerFrequency: limits.rateLimit.perFrequency,
          rateLimitFrequencyInSeconds: limits.rateLimit.frequencySeconds,
        }),
    inputKeys: [...workspaceKeys, "params"],
    outputKeys: [...workspaceKeys, "result"],
    inputSchema,
    outputSchema,
  };
}

/** A TaskDef as the text that extract writes: two spaces, fixed order, a line end. Same code, same bytes. */
export function formatTaskDef(taskDef: TaskDef): string {
  return `${JSON.stringify(taskDef, null, 2)}\n`;
}
