import type { TaskDescription } from "../../tasks/description.ts";

/** A workspace-free task as the describe child would tell it, with what a test changes. */
export function taskDescription(changes: Partial<TaskDescription> & { readonly name: string }): TaskDescription {
  const { name } = changes;
  const schema = (side: string) => ({ name: `${name}.${side}`, version: 1, type: "JSON", data: {} }) as const;
  const timeoutSeconds = changes.timeoutSeconds ?? 60;
  const responseSeconds = changes.responseSeconds ?? 30;
  return {
    modulePath: `/tasks/${name}.ts`,
    exportName: "default",
    timeoutSeconds,
    responseSeconds,
    taskDef: {
      name,
      ownerEmail: "a@example.com",
      retryCount: 3,
      retryLogic: "FIXED",
      retryDelaySeconds: 60,
      maxRetryDelaySeconds: 0,
      backoffJitterMs: 0,
      timeoutPolicy: "TIME_OUT_WF",
      timeoutSeconds,
      responseTimeoutSeconds: responseSeconds,
      totalTimeoutSeconds: 0,
      inputKeys: ["params"],
      outputKeys: ["result"],
      inputSchema: schema("input"),
      outputSchema: schema("output"),
    },
    findings: [],
    ...changes,
  };
}
