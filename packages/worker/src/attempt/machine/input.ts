import { parseWorkspaceInput, type Finding } from "@perago/taskdef";
import { targetRefusal } from "./allowed-target.ts";
import type { AttemptFacts } from "./facts.ts";
import { fail, failure, inputRefused } from "./ending.ts";
import type { Failure } from "../../failure.ts";
import { enterBody } from "./body.ts";
import type { Common, Decision, Phase, WorkspaceInput } from "./state.ts";

/** The first state: the input is read before anything is asked of anybody (rules I1, I4, I5, I6, I7). */
export function begin(facts: AttemptFacts): Decision {
  const start: Common = { facts, owned: { folder: false } };
  const stored = facts.polled.externalInputPath;
  if (stored !== undefined) {
    const message = `the input of ${facts.polled.taskDefName} was stored outside the engine`;
    return fail(
      start,
      failure("input_invalid", message, "pass large data through the workspace, not through the input"),
    );
  }
  if (facts.workspace === undefined) return enterBody(start);
  const parsed = parseWorkspaceInput(facts.polled.inputData);
  if (!parsed.ok) return fail(start, inputFailure(parsed.findings));
  const refusal = targetRefusal(facts, parsed.value);
  if (refusal !== undefined) return fail(start, refusal);
  return { next: { ...start, phase: "validate", input: parsed.value } };
}

/** Rule I3: the task's own schema, in the executor, before the input's commit is asked for. */
export const validate: Phase<"validate"> = {
  ask: ({ facts }) => ({ inputData: facts.polled.inputData }),
  answered(state, answer) {
    if (!answer.ok) return fail(state, inputRefused(answer.message));
    return { next: { ...state, phase: "resolve" } };
  },
};

/** Rule I4: only the full id is read from then on. */
export const resolve: Phase<"resolve"> = {
  ask: ({ input }) => ({ repository: input.repository, ref: input.ref }),
  answered(state, ref) {
    const input: WorkspaceInput = { ...state.input, ref };
    const phase = state.facts.workspace?.readOnly === true ? "syncIn" : "fenceEarly";
    return { next: { ...state, phase, input } };
  },
};

/** All findings in one reason; a ref that is wrong by its form has its own code (rule I4). */
function inputFailure(findings: readonly Finding[]): Failure {
  const [first] = findings;
  const onlyRef = findings.every(({ code }) => code === "ref_invalid");
  const message = findings.map((finding) => finding.message).join("; ");
  return failure(onlyRef ? "ref_invalid" : "input_invalid", message, first?.hint ?? "");
}
