import {
  encodeConfirmMetadata,
  encodeTryMetadata,
  MetadataError,
  stagingBranchName,
  type TryMetadataFields,
} from "@perago/fence";
import { fail, failure } from "./ending.ts";
import { cleanupFailed } from "./cleanup.ts";
import type { AttemptFacts } from "./facts.ts";
import type { Based, Decision, FenceHeld, Knows, Note, Phase, Staged, State } from "./state.ts";

/**
 * What a body returned is most likely published: its branch is begun, on the head that the early fence accepted, while
 * the folder is looked at. It is owned before it is asked for: a lost answer may have made it (rule T1).
 */
export function enterSeal(state: Knows["seal"]): Decision {
  const { input, facts, earlyHead, body } = state;
  if ("outcome" in body || input === undefined || earlyHead === undefined) return { next: { ...state, phase: "seal" } };
  const branch = branchName(facts, facts.executionId);
  const opening = { repository: input.repository, branch, base: earlyHead };
  return { next: { ...state, phase: "openStaging", owned: { ...state.owned, staging: opening }, opening } };
}

/** The branch is begun; it is waited for when it is needed, and before it is deleted. */
export const openStaging: Phase<"openStaging"> = {
  ask: ({ opening }) => opening,
  answered(state) {
    const { opening: _, ...begun } = state;
    return { next: { ...begun, phase: "seal" } };
  },
};

/** Rule T4: the branch that was begun is used where the fence before staging has accepted the same head. */
export function enterStaging(state: Based, notes: readonly Note[] = []): Decision {
  const { staging: opened } = state.owned;
  if (opened === undefined) return { next: create(state, state.facts.executionId), notes };
  if (opened.base !== state.base) return { next: { ...state, phase: "discardStaging", opened }, notes };
  return { next: { ...state, phase: "createStaging", branch: opened.branch }, notes };
}

/** The head has moved since the branch was begun (rule P2): another one, of another name (rule T1). */
export const discardStaging: Phase<"discardStaging"> = {
  ask: ({ opened: { repository, branch } }) => ({ repository, branch }),
  answered: (state) => ({ next: createAnother(state) }),
  refused: (state, why) => ({
    next: createAnother(state),
    notes: [cleanupFailed(`branch ${state.opened.branch}`, why.message)],
  }),
};

function createAnother(state: Knows["discardStaging"]): State<"createStaging"> {
  const { opened: _, ...moved } = state;
  return create(moved, `moved-${state.facts.executionId}`);
}

function create(state: Based, id: string): State<"createStaging"> {
  const { input, base, facts } = state;
  const branch = branchName(facts, id);
  const owned = { ...state.owned, staging: { repository: input.repository, branch, base } };
  return { ...state, phase: "createStaging", owned, branch };
}

function branchName({ logicalTaskKey, polled }: AttemptFacts, executionId: string): string {
  const { taskId, retryCount } = polled;
  return stagingBranchName({ logicalTaskKey, executionId, taskId, retryCount });
}

/** Rule T4: the base is the head that the publish fence accepted. */
export const createStaging: Phase<"createStaging"> = {
  ask: ({ input, branch, base }) => ({ repository: input.repository, branch, base }),
  answered: (state) => ({ next: { ...state, phase: "stage" } }),
};

/** Rule T4: the projection goes onto the branch; the metadata is made before anything is committed (rule T9). */
export const stage: Phase<"stage"> = {
  ask: ({ branch, base }) => ({ branch, base }),
  answered(state) {
    try {
      const metadata = encodeTryMetadata(metadataFields(state));
      return { next: { ...state, phase: "commitStaging", metadata } };
    } catch (error) {
      if (!(error instanceof MetadataError)) throw error;
      return fail(state, failure("workspace_unstageable", error.message, error.hint));
    }
  },
};

/** Rule T9. */
export const commitStaging: Phase<"commitStaging"> = {
  ask: ({ input, branch, base, facts, metadata }) => ({
    repository: input.repository,
    branch,
    base,
    message: `perago: try ${attemptName({ facts })}`,
    metadata,
  }),
  answered: (state, stagingCommit) => ({ next: { ...state, phase: "verifyStaging", stagingCommit } }),
};

/** Rule T13. */
export const verifyStaging: Phase<"verifyStaging"> = {
  ask: ({ base, stagingCommit }) => ({ base, stagingCommit }),
  answered: (state) =>
    state.facts.hardFence === "off"
      ? { next: readyToMerge(state, "soft") }
      : { next: { ...state, phase: "verifyHardFence" } },
};

/** What is merged is there and was looked at: the loop at the end begins. */
export function readyToMerge({ branch, stagingCommit, ...state }: Staged, fence: FenceHeld): State<"pinHead"> {
  return { ...state, phase: "pinHead", round: 0, staged: { branch, stagingCommit, fence } };
}

/**
 * Rule C1: what the confirm commit says of itself; C2: `expectedHead` is the head that P5 pinned, which is the base.
 */
export function confirmMetadata(
  state: Based & { readonly staged: Pick<Staged, "branch" | "stagingCommit"> },
): Record<string, string> {
  const { branch, stagingCommit } = state.staged;
  return encodeConfirmMetadata({ ...metadataFields({ ...state, branch }), stagingCommit });
}

/** Task and attempt in a reader's words, for commit messages (rule C1). */
export function attemptName({ facts }: Pick<Knows["stage"], "facts">): string {
  const { taskDefName, referenceTaskName, retryCount, workflowInstanceId } = facts.polled;
  return `${taskDefName} (${referenceTaskName}, attempt ${retryCount}, workflow ${workflowInstanceId})`;
}

function metadataFields({ facts, input, branch, base, supersedes }: Knows["stage"]): TryMetadataFields {
  const { polled } = facts;
  return {
    logicalTaskKey: facts.logicalTaskKey,
    taskId: polled.taskId,
    retryCount: polled.retryCount,
    inputRef: input.ref,
    targetBranch: input.branch,
    prefix: facts.workspace?.prefix ?? "",
    stagingBranch: branch,
    expectedHead: base,
    supersedes,
    workflowInstanceId: polled.workflowInstanceId,
    taskDefName: polled.taskDefName,
    referenceTaskName: polled.referenceTaskName,
    scheduledTime: polled.scheduledTime,
    workerId: facts.workerId,
    writer: facts.writer,
    conductorLink: facts.conductorLink,
  };
}
