import { close } from "./ending.ts";
import type { Closing, Decision, Note, Phase } from "./state.ts";

/** Rule X1: a cleanup that fails is noted, and changes nothing of the result. */
export const deleteStaging: Phase<"deleteStaging"> = {
  ask: ({ owned }) => ({ repository: owned.staging?.repository ?? "", branch: owned.staging?.branch ?? "" }),
  answered: (state) => ({ next: close(withoutStaging(state)) }),
  refused: (state, why) => ({
    next: close(withoutStaging(state)),
    notes: [cleanupFailed(`branch ${state.owned.staging?.branch}`, why.message)],
  }),
};

/** Rule X1, the local folder. */
export const removeFolder: Phase<"removeFolder"> = {
  ask: () => ({}),
  answered: (state) => ({ next: { ...state, phase: "releaseExecutor" } }),
  refused: (state, why) => ({
    next: { ...state, phase: "releaseExecutor" },
    notes: [cleanupFailed("workspace folder", why.message)],
  }),
};

/** The last thing held: the slot is free after it. */
export const releaseExecutor: Phase<"releaseExecutor"> = {
  ask: () => ({}),
  answered: done,
  refused: (state, why) => ({ ...done(state), notes: [cleanupFailed("executor", why.message)] }),
};

function done(state: Closing): Decision {
  return { next: { ...state, phase: "done" } };
}

function withoutStaging(state: Closing): Closing {
  const { staging: _, ...owned } = state.owned;
  return { ...state, owned };
}

/** What rule X1 notes. */
export function cleanupFailed(what: string, why: string): Note {
  return { name: "cleanup_failed", message: `${what} could not be removed: ${why}` };
}
