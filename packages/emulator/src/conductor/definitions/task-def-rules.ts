import type { ValidationFinding } from "../errors.ts";
import type { TaskDef } from "../model/task-def.ts";

/** What Conductor refuses in a task definition (cases C01, C02); `path` is where it stands in the request. */
export function taskDefFindings(def: TaskDef, path: string): ValidationFinding[] {
  return [...fieldFindings(def, path), ...timeoutFindings(def, path)];
}

function fieldFindings(def: TaskDef, path: string): ValidationFinding[] {
  const findings: ValidationFinding[] = [];
  const refuse = (field: string, value: number | string, message: string): void => {
    findings.push({ path: `${path}.${field}`, message, invalidValue: String(value) });
  };
  if (def.name.trim() === "") refuse("name", def.name, "TaskDef name cannot be null or empty");
  if (def.responseTimeoutSeconds < 1) {
    const message = `TaskDef responseTimeoutSeconds: ${def.responseTimeoutSeconds} should be minimum 1 second`;
    refuse("responseTimeoutSeconds", def.responseTimeoutSeconds, message);
  }
  for (const field of ["retryCount", "backoffJitterMs", "maxRetryDelaySeconds", "totalTimeoutSeconds"] as const) {
    if (def[field] < 0) refuse(field, def[field], `TaskDef ${field}: 0 must be >= 0`);
  }
  if ((def.pollTimeoutSeconds ?? 0) < 0) {
    refuse("pollTimeoutSeconds", def.pollTimeoutSeconds ?? 0, "TaskDef pollTimeoutSeconds: 0 must be >= 0");
  }
  if (def.backoffScaleFactor < 1) {
    refuse("backoffScaleFactor", def.backoffScaleFactor, "Backoff scale factor. Applicable for LINEAR_BACKOFF");
  }
  return findings;
}

function timeoutFindings(def: TaskDef, path: string): ValidationFinding[] {
  const { name, timeoutSeconds, responseTimeoutSeconds, totalTimeoutSeconds } = def;
  const findings: ValidationFinding[] = [];
  if (timeoutSeconds > 0 && responseTimeoutSeconds > timeoutSeconds) {
    findings.push({
      path,
      message:
        `TaskDef: ${name} responseTimeoutSeconds: ${responseTimeoutSeconds} ` +
        `must be less than timeoutSeconds: ${timeoutSeconds}`,
    });
  }
  if (totalTimeoutSeconds > 0 && timeoutSeconds > totalTimeoutSeconds) {
    findings.push({
      path,
      message:
        `TaskDef: ${name} timeoutSeconds: ${timeoutSeconds} ` +
        `must be less than or equal to totalTimeoutSeconds: ${totalTimeoutSeconds}`,
    });
  }
  return findings;
}
