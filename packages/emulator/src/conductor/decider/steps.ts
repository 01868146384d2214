import type { WorkflowDef, WorkflowTask } from "../model/workflow-def.ts";

/** The lists of steps that a step holds. */
export function innerLists(step: WorkflowTask): (readonly WorkflowTask[])[] {
  return [...step.forkTasks, ...Object.values(step.decisionCases), step.defaultCase, step.loopOver];
}

/** All steps of a definition, outer ones first. */
export function allSteps(steps: readonly WorkflowTask[]): WorkflowTask[] {
  return steps.flatMap((step) => [step, ...innerLists(step).flatMap((list) => allSteps(list))]);
}

/** The step of a reference name. */
export function findStep(def: WorkflowDef, referenceName: string): WorkflowTask | undefined {
  return allSteps(def.tasks).find((step) => step.taskReferenceName === referenceName);
}

/** Does the step hold one of this reference name (or is it that one)? */
export function holds(step: WorkflowTask, referenceName: string): boolean {
  return allSteps([step]).some((one) => one.taskReferenceName === referenceName);
}

/**
 * The step after one: the next in its list; after a list's last the one after the step that holds it, and of a loop the
 * loop itself.
 */
export function nextStep(def: WorkflowDef, referenceName: string): WorkflowTask | undefined {
  const found = nextIn(def.tasks, referenceName);
  return found === "end" ? undefined : found;
}

function nextIn(steps: readonly WorkflowTask[], referenceName: string): WorkflowTask | "end" | undefined {
  for (const [index, step] of steps.entries()) {
    const after = steps[index + 1] ?? "end";
    if (step.taskReferenceName === referenceName) return after;
    const inner = firstFound(innerLists(step), referenceName);
    if (inner === undefined) continue;
    if (inner !== "end") return inner;
    return step.type === "DO_WHILE" ? step : after;
  }
  return undefined;
}

function firstFound(
  lists: readonly (readonly WorkflowTask[])[],
  referenceName: string,
): WorkflowTask | "end" | undefined {
  for (const list of lists) {
    const found = nextIn(list, referenceName);
    if (found !== undefined) return found;
  }
  return undefined;
}
