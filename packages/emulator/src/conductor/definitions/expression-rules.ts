import { allSteps } from "../decider/steps.ts";
import type { ValidationFinding } from "../errors.ts";
import { findExpressions } from "../expressions/find.ts";
import { TASK_ID_PARAMETER } from "../expressions/replace.ts";
import { isJsonObject, type Json } from "../json.ts";
import type { WorkflowDef } from "../model/workflow-def.ts";

/** An expression of a definition, and the parameter that it stands in. */
export interface UsedExpression {
  readonly parameter: string;
  readonly path: string;
}

/** The expressions of parameters, inner ones too. */
export function usedExpressions(value: Json, parameter: string): UsedExpression[] {
  if (typeof value === "string") return findExpressions(value).map(({ path }) => ({ parameter, path }));
  if (Array.isArray(value)) return value.flatMap((one) => usedExpressions(one, parameter));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => usedExpressions(one, name));
}

/** Expressions of steps that name no step of the definition, or are empty. */
export function expressionFindings(def: WorkflowDef, path: string): ValidationFinding[] {
  const steps = allSteps(def.tasks);
  const names = new Set(steps.map((step) => step.taskReferenceName));
  return steps.flatMap((step) =>
    usedExpressions(step.inputParameters, "").flatMap((used) => {
      const message = problem(used, step.name, names);
      return message === undefined ? [] : [{ path, message }];
    }),
  );
}

function problem(used: UsedExpression, taskName: string, names: ReadonlySet<string>): string | undefined {
  const { parameter, path } = used;
  if (path.trim() === "") return `key: ${parameter} input parameter value: ${path} is not valid`;
  if (path === TASK_ID_PARAMETER || path.includes("${")) return undefined;
  if (/\s/.test(path)) return `key: ${parameter} input parameter value: ${path} is not valid`;
  const source = path.split(/[.[]/, 1)[0] ?? "";
  if (source === "workflow" || source === "$" || names.has(source)) return undefined;
  return (
    `taskReferenceName: ${source} for given task: ${taskName} input value: ${parameter} ` +
    `of input parameter: \${${path}} is not defined in workflow definition.`
  );
}
