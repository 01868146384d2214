import { diffTaskDef } from "@perago/taskdef";
import type { ConductorHttp } from "../conductor/http.ts";
import { getTaskDef, type RegisteredTaskDef } from "../conductor/task-defs.ts";
import type { TaskDescription } from "../tasks/description.ts";

/** What is worth a word before the first poll. */
export interface PreflightFinding {
  readonly severity: "error" | "warning";
  readonly code:
    | "task_def_not_registered"
    | "task_def_timeouts_differ"
    | "task_def_differs"
    | "body_without_time_limit";
  readonly taskName: string;
  readonly message: string;
  readonly hint: string;
}

/** A host must not start: a TaskDef is not registered. */
export class PreflightError extends Error {
  readonly code = "task_def_not_registered";
  readonly hint: string;
  readonly findings: readonly PreflightFinding[];

  constructor(findings: readonly PreflightFinding[]) {
    super(findings.map((finding) => finding.message).join("\n"));
    this.name = "PreflightError";
    this.hint = [...new Set(findings.map((finding) => finding.hint))].join("\n");
    this.findings = findings;
  }
}

const TIMEOUT_FIELDS: ReadonlySet<string> = new Set([
  "timeoutSeconds",
  "responseTimeoutSeconds",
  "pollTimeoutSeconds",
  "totalTimeoutSeconds",
  "timeoutPolicy",
]);

/**
 * Looks at every task's registered definition before the first poll. Answers the warnings; throws `PreflightError`
 * where a definition is missing and `ConductorError` where Conductor is away, refuses the credentials, or is not
 * Conductor. Writes nothing (case C05).
 */
export async function preflight(
  http: ConductorHttp,
  tasks: readonly TaskDescription[],
): Promise<readonly PreflightFinding[]> {
  const findings: PreflightFinding[] = [];
  // One after the other: a host has few tasks, and a server that is down is told once.
  for (const task of tasks) findings.push(...judgeTaskDef(task, await getTaskDef(http, task.name)));
  const errors = findings.filter((finding) => finding.severity === "error");
  if (errors.length > 0) throw new PreflightError(errors);
  return findings;
}

/** What there is to say about one task and the definition that Conductor has for it. Pure. */
export function judgeTaskDef(
  task: TaskDescription,
  registered: RegisteredTaskDef | undefined,
): readonly PreflightFinding[] {
  const name = task.name;
  if (registered === undefined) {
    return [
      {
        severity: "error",
        code: "task_def_not_registered",
        taskName: name,
        message: `Conductor has no task definition ${name}`,
        hint: `Register it: perago register ${task.modulePath}`,
      },
    ];
  }
  const differences = diffTaskDef(registered, task.taskDef);
  const timeouts = differences.filter((difference) => TIMEOUT_FIELDS.has(difference.field));
  const others = differences.filter((difference) => !TIMEOUT_FIELDS.has(difference.field));
  const findings: PreflightFinding[] = [];
  const warn = (code: PreflightFinding["code"], message: string, hint: string): void => {
    findings.push({ severity: "warning", code, taskName: name, message, hint });
  };
  if (timeouts.length > 0) {
    const list = timeouts
      .map((each) => `${each.field} ${show(each.registered)} (code: ${show(each.extracted)})`)
      .join(", ");
    // Case C05, case C06: what counts is what the engine hands out with the task.
    warn(
      "task_def_timeouts_differ",
      `${name}: Conductor's timeouts win: ${list}`,
      "Run perago register to make the code's count",
    );
  }
  if (others.length > 0) {
    const list = others.map((each) => each.field).join(", ");
    warn(
      "task_def_differs",
      `${name}: the registered definition differs from the code in ${list}`,
      "Run perago register",
    );
  }
  if (registered["timeoutSeconds"] === 0 || registered["timeoutSeconds"] === undefined) {
    // Rule A5.
    warn(
      "body_without_time_limit",
      `${name}: timeoutSeconds is 0, a body that hangs would live for ever`,
      "Set controls.timeout.seconds",
    );
  }
  return findings;
}

function show(value: unknown): string {
  return value === undefined ? "unset" : JSON.stringify(value);
}
