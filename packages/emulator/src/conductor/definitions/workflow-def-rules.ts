import type { ValidationFinding } from "../errors.ts";
import { allSteps } from "../decider/steps.ts";
import type { WorkflowDef, WorkflowTask } from "../model/workflow-def.ts";
import { expressionFindings } from "./expression-rules.ts";

/** What Conductor refuses in a workflow definition; `path` is where it stands in the request. */
export function workflowDefFindings(def: WorkflowDef, path: string): ValidationFinding[] {
  const findings: ValidationFinding[] = [];
  if (def.schemaVersion !== 2) {
    findings.push({
      path: `${path}.schemaVersion`,
      message: "workflowDef schemaVersion: 2 is only supported",
      invalidValue: String(def.schemaVersion),
    });
  }
  if (def.name.trim() === "") {
    const message = "WorkflowDef name cannot be null or empty";
    findings.push({ path: `${path}.name`, message, invalidValue: def.name });
  }
  if (def.tasks.length === 0) findings.push({ path: `${path}.tasks`, message: "WorkflowTask list cannot be empty" });
  findings.push(...def.tasks.flatMap((step, index) => stepFindings(step, `${path}.tasks[${index}]`)));
  findings.push(...uniqueFindings(def, path), ...expressionFindings(def, path));
  return findings;
}

function uniqueFindings(def: WorkflowDef, path: string): ValidationFinding[] {
  const seen = new Set<string>();
  const findings: ValidationFinding[] = [];
  for (const step of allSteps(def.tasks)) {
    const name = step.taskReferenceName;
    if (seen.has(name)) {
      const where = `a given workflowDefinition: ${def.name}`;
      const message = `taskReferenceName: ${name} should be unique across tasks for ${where}`;
      findings.push({ path, message });
    }
    seen.add(name);
  }
  return findings;
}

function stepFindings(step: WorkflowTask, path: string): ValidationFinding[] {
  const findings: ValidationFinding[] = [];
  if (step.name === "") {
    findings.push({ path: `${path}.name`, message: "WorkflowTask name cannot be empty or null", invalidValue: "" });
  }
  if (step.taskReferenceName === "") {
    const message = "WorkflowTask taskReferenceName name cannot be empty or null";
    findings.push({ path: `${path}.taskReferenceName`, message, invalidValue: "" });
  }
  return [...findings, ...typeFindings(step, path)];
}

function typeFindings(step: WorkflowTask, path: string): ValidationFinding[] {
  const of = `for taskType: ${step.type} taskName: ${step.name}`;
  const findings: ValidationFinding[] = [];
  const refuse = (words: string): void => void findings.push({ path, message: `${words} ${of}` });
  if (step.type === "FORK_JOIN" && step.forkTasks.length === 0) refuse("forkTasks should have atleast one task");
  if (step.type === "SWITCH") {
    if (step.evaluatorType === undefined) refuse("evaluatorType field is required");
    if (Object.keys(step.decisionCases).length === 0) refuse("decisionCases should have atleast one task");
  }
  if (step.type === "DO_WHILE") {
    if (step.loopCondition === undefined) refuse("loopCondition field is required");
    if (step.loopOver.length === 0) refuse("loopOver field is required");
  }
  return findings;
}
