import { allSteps } from "../decider/steps.ts";
import { notHere } from "../errors.ts";
import { parseCondition } from "../expressions/condition.ts";
import { parsePath } from "../expressions/path.ts";
import { TASK_ID_PARAMETER } from "../expressions/replace.ts";
import type { WorkflowDef, WorkflowTask } from "../model/workflow-def.ts";
import { usedExpressions } from "./expression-rules.ts";

/** The task types that are here. */
export const TASK_TYPES: readonly string[] = ["SIMPLE", "FORK_JOIN", "JOIN", "SWITCH", "DO_WHILE"];

/** Refuses, by name, what Conductor would do and this emulator would not (a 501). */
export function refuseBeyond(def: WorkflowDef): void {
  if (def.failureWorkflow !== undefined && def.failureWorkflow !== "") throw notHere("failureWorkflow");
  for (const step of allSteps(def.tasks)) refuseStep(step);
  for (const used of usedExpressions(def.outputParameters, "")) refusePath(used.path, "outputParameters");
}

function refuseStep(step: WorkflowTask): void {
  const where = `of step ${step.taskReferenceName}`;
  if (!TASK_TYPES.includes(step.type)) throw notHere(`task type ${step.type} (${where})`);
  const [field] = Object.keys(step.beyond);
  if (field !== undefined) throw notHere(`field ${field} ${where}`);
  if (step.type === "SWITCH" && step.evaluatorType !== undefined && step.evaluatorType !== "value-param") {
    throw notHere(`evaluatorType ${step.evaluatorType} ${where}, only value-param`);
  }
  if (step.type === "DO_WHILE" && parseCondition(step.loopCondition ?? "") === undefined) {
    throw notHere(`JavaScript beyond comparisons and if/else in the loopCondition ${where}`);
  }
  if (step.type === "DO_WHILE" && allSteps(step.loopOver).some((inner) => inner.type === "DO_WHILE")) {
    throw notHere(`loop in a loop ${where}`);
  }
  for (const used of usedExpressions(step.inputParameters, "")) refusePath(used.path, where);
}

function refusePath(path: string, where: string): void {
  if (path === TASK_ID_PARAMETER || path.includes("${") || path.trim() === "") return;
  if (/^workflow\.(secrets|env)\./.test(path)) throw notHere(`expression \${${path}} ${where}`);
  if (parsePath(path) === undefined) throw notHere(`JSONPath \${${path}} ${where}`);
}
