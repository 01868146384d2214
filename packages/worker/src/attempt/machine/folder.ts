import { enterBody } from "./body.ts";
import { fail, failure } from "./ending.ts";
import { judge, readRangeArgs } from "./publish-decision.ts";
import type { Phase } from "./state.ts";

/** Rule P5, early: a refusal here ends the attempt without the body. */
export const fenceEarly: Phase<"fenceEarly"> = {
  ask: readRangeArgs,
  answered(state, range) {
    const judgement = judge(state, range);
    if (judgement.kind === "refuse") return fail(state, judgement.failure);
    if (judgement.kind === "own_delivery" && !judgement.isHead) return fail(state, judgement.failure, judgement.notes);
    const early = judgement.kind === "accept" ? { earlyHead: judgement.head } : {};
    return { next: { ...state, ...early, phase: "syncIn" }, notes: judgement.notes };
  },
};

/** Rule T2. A folder that is there half belongs to the cleanup too. */
export const syncIn: Phase<"syncIn"> = {
  ask: ({ input, facts }) => ({
    repository: input.repository,
    commitId: input.ref,
    prefix: facts.workspace?.prefix ?? "",
  }),
  answered: (state, { path }) => ({
    next: { ...state, phase: "checkPre", owned: { ...state.owned, folder: true }, path },
  }),
  refused: (state, why) => fail({ ...state, owned: { ...state.owned, folder: true } }, why),
};

/** Rule T3: a pre guardrail that refuses is terminal, and the body does not run. */
export const checkPre: Phase<"checkPre"> = {
  ask: () => ({}),
  answered(state, violations) {
    if (violations.length === 0) return enterBody(state);
    const hint = "the input commit does not hold what the task requires; start a new workflow from one that does";
    return fail(state, failure("guardrail_pre", violations.join("; "), hint));
  },
};
