import { decodeMetadata, type FenceCommit } from "@perago/fence";
import { completed, end, fail, failure, publishUnknown } from "./ending.ts";
import { BOUNDS } from "./facts.ts";
import { headMoved } from "./publish-decision.ts";
import type { Failure } from "../../failure.ts";
import type { CommitRange } from "../ports/target-store.ts";
import type { Decision, Knows, Note, Outcome, Phase } from "./state.ts";

type Looking = Knows["readPublished"] | Knows["readHistory"];

/** Rule C6: what was published must lie on the head that was pinned. */
export const readPublished: Phase<"readPublished"> = {
  ask: ({ input, commitId }) => ({ repository: input.repository, commitId }),
  answered: (state, commit) => published(state, commit),
  refused(state, why) {
    const { commitId: _, ...looking } = state;
    const pending = { kind: "failed", failure: unknown(state, why.message) } as const;
    return { next: { ...looking, phase: "readHistory", pending, answer: "unknown" } };
  },
};

/** Rule C5: only a commit that first parents reach from the target is proof (case L09). */
export const readHistory: Phase<"readHistory"> = {
  ask: ({ input, merge }) => ({
    repository: input.repository,
    branch: input.branch,
    stopAt: merge.expectedHead,
    maxCommits: BOUNDS.walkCommits + 1,
    withHardFence: false,
  }),
  answered(state, range) {
    const own = range.commits.find((commit) => isOwn(commit, state.merge.stagingCommit));
    if (own !== undefined) {
      // Another execution holds the attempt: it adopts or supersedes what landed, and nothing is reported from here.
      return state.pending.kind === "silent" ? end(state, state.pending) : published(state, own);
    }
    const whole = range.commits.some((commit) => commit.id === state.merge.expectedHead);
    if (state.answer !== "unknown" && whole) {
      return end(mayLand(state, range) ? kept(state) : state, withHead(state, range));
    }
    if (state.pending.kind === "failed" && state.answer === "unknown") return keepStaging(state, state.pending.failure);
    return keepStaging(state, unknown(state, "the history down to the pinned head could not be read"));
  },
  refused: (state, why) => keepStaging(state, unknown(state, why.message)),
};

function published(state: Looking, commit: FenceCommit): Decision {
  const { expectedHead } = state.merge;
  const parent = commit.parents[0] ?? "no parent";
  if (parent === expectedHead) return end(state, completed(state, "commit", commit.id));
  const target = `${state.input.repository}/${state.input.branch}`;
  const message = `commit ${commit.id} landed on ${target} upon ${parent}, not upon ${expectedHead}`;
  const note: Note = { name: "publish_race", message };
  const hint = "another writer published at the same moment; look at both commits, nothing was rolled back";
  return fail(state, failure("publish_race", message, hint), [note]);
}

/**
 * Networks repeat requests (rule C5): a copy of a merge that was answered busy may land as long as the head is the one
 * it expects. Its branch must be listed then, or a later no-op commits nothing that would stop it (rule R2).
 */
function mayLand({ answer, merge }: Knows["readHistory"], range: CommitRange): boolean {
  return answer === "busy" && range.head === merge.expectedHead;
}

/** Rules H1 and H4: the hard fence refused, and the history says what stands there instead (rule R3). */
function withHead({ pending, answer, merge, input }: Knows["readHistory"], range: CommitRange): Outcome {
  if (pending.kind !== "failed" || pending.failure.code !== "publish_fence") return pending;
  if (answer !== "refused" || range.head === merge.expectedHead) return pending;
  const why = headMoved(input, merge.expectedHead, range, "the hard fence refused the merge");
  return { kind: "failed", failure: why };
}

/** Rule X2: a branch whose merge may still land stays for the sweeper. */
function keepStaging(state: Knows["readHistory"], why: Failure): Decision {
  return state.pending.kind === "silent" ? end(kept(state), state.pending) : fail(kept(state), why);
}

function kept(state: Knows["readHistory"]): Knows["readHistory"] {
  const { staging: _, ...owned } = state.owned;
  return { ...state, owned };
}

function unknown({ input, merge }: Looking, detail: string): Failure {
  return publishUnknown(input, merge.stagingCommit, detail);
}

function isOwn(commit: FenceCommit, stagingCommit: string): boolean {
  const decoded = decodeMetadata(commit.metadata);
  return decoded.ok && decoded.metadata.phase === "confirm" && decoded.metadata.stagingCommit === stagingCommit;
}
