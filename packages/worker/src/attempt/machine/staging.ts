import {
  encodeConfirmMetadata,
  encodeTryMetadata,
  MetadataError,
  stagingBranchName,
  type TryMetadataFields,
} from "@perago/fence";
import { fail, failure } from "./ending.ts";
import type { Based, Decision, FenceHeld, Knows, Note, Phase, Staged, State } from "./state.ts";

/** Rule T1: a branch for this execution alone. It is owned before it is asked for: a lost answer may have made it. */
export function enterStaging(state: Based, notes: readonly Note[] = []): Decision {
  const { facts, input } = state;
  const { logicalTaskKey, executionId, polled } = facts;
  const branch = stagingBranchName({
    logicalTaskKey,
    executionId,
    taskId: polled.taskId,
    retryCount: polled.retryCount,
  });
  const owned = { ...state.owned, staging: { repository: input.repository, branch } };
  return { next: { ...state, phase: "createStaging", owned, branch }, notes };
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
