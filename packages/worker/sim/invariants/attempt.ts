import { projectionOf, treeText } from "../model/trees.ts";
import type { Accepting, Deciding, Invariant, Judging, LeftOver, Sending, Taking } from "./facts.ts";
import { isOwn } from "./landing.ts";

/** S2: a completed ref is on the target's first parents, and shows exactly the folder of who reported it. */
export const s2Completed: Invariant<Taking> = ({ repository, head, status, ref, folder }) => {
  if (status !== "COMPLETED") return undefined;
  const commit = repository.history(head).find(({ id }) => id === ref);
  if (commit === undefined) return `S2: the completed ref ${ref.slice(0, 8)} is not on the target`;
  const shown = treeText(projectionOf(commit.tree));
  return shown === treeText(folder) ? undefined : `S2: ${commit.number} shows [${shown}], not [${treeText(folder)}]`;
};

/** S9 with the hard fence: an output is not already superseded when the engine takes it. */
export const s9NotSuperseded: Invariant<Taking> = ({ repository, head, ref, logicalTaskKey, ...facts }) => {
  if (!facts.hardFence || facts.status !== "COMPLETED" || facts.windowOpen) return undefined;
  const after = repository
    .range(head, ref, Infinity)
    .find((commit) => commit.id !== ref && isOwn(commit, logicalTaskKey));
  return after === undefined ? undefined : `S9: the taken output was superseded by ${after.number}`;
};

/** S12: no result ends another delivery, or the run of another holder (a published commit of the delivery may, R8). */
export const s12OwnResult: Invariant<Taking> = ({ task, held, status, withCommit, windowOpen }) => {
  if (windowOpen) return undefined;
  if (task.scheduledTime !== held.scheduledTime)
    return `S12: ${status} of delivery ${held.scheduledTime} ended another`;
  const holds = task.workerId === held.workerId && task.pollCount === held.pollCount;
  return holds || (status === "COMPLETED" && withCommit)
    ? undefined
    : `S12: ${status} ended the run of ${task.workerId}`;
};

/** S5: who was stale at the second check sends nothing. */
export const s5Stale: Invariant<Sending> = ({ wasStale }) =>
  wasStale ? "S5: a merge was sent though the attempt was stale at the second check" : undefined;

/** S1 with the soft fence: the maker of a commit that landed elsewhere says so (rule C6). */
export const s1Detected: Invariant<Deciding> = ({ repository, outcome, by, ref }) => {
  if (outcome !== "completed" || by !== "commit") return undefined;
  const commit = repository.byId(ref ?? "");
  return commit.metadata["perago.expected_head"] === commit.parents[0]
    ? undefined
    : `S1: ${commit.number} lost a race and was completed`;
};

/** S10: no reason says "not published" while the commit stands on the target. */
export const s10NotDenied: Invariant<Deciding> = ({ repository, head, stagingCommitId, outcome }) => {
  const silent = ["completed", "silent", "publish_unknown", "publish_race"].includes(outcome);
  if (silent || stagingCommitId === undefined) return undefined;
  const own = repository.history(head).find(({ metadata }) => metadata["perago.staging_commit"] === stagingCommitId);
  return own === undefined ? undefined : `S10: ${outcome} denies ${own.number}, which stands on the target`;
};

/** S1: a lost race in a range that the fence accepts is told by the next walk (rule P10). */
export const s1Walked: Invariant<Judging> = ({ commits, inputRef, refused, noteNames }) => {
  const raced = commits.some(
    ({ id, metadata, parents }) => id !== inputRef && (metadata["perago.expected_head"] ?? parents[0]) !== parents[0],
  );
  return raced && !refused && !noteNames.includes("publish_race")
    ? "S1: a walk passed a lost race silently"
    : undefined;
};

/** S10: "accepted" is said only of a result that the engine holds (rule R6). */
export const s10Accepted: Invariant<Accepting> = ({ status, held, task }) => {
  const taken = task?.status === status && task.scheduledTime === held.scheduledTime;
  return taken ? undefined : `S10: ${status} counts as accepted, and the task is ${task?.status ?? "gone"}`;
};

/** S7: only death, a merge that may still land (rule X2) and a refused cleanup leave a branch to the sweeper. */
export const s7LeftOver: Invariant<LeftOver> = ({ name, end, cleanupFailed, mayLand }) => {
  const known = cleanupFailed || mayLand || end === "crashed" || end === "publish_unknown";
  return known ? undefined : `S7: ${name} is left after ${end}`;
};

/** Everything that is checked when the engine takes a result. */
export const TAKING: readonly Invariant<Taking>[] = [s2Completed, s9NotSuperseded, s12OwnResult];
/** Everything that is checked when an execution has decided how it ends. */
export const DECIDING: readonly Invariant<Deciding>[] = [s1Detected, s10NotDenied];

/** What the invariants say of the facts. */
export function broken<Facts>(invariants: readonly Invariant<Facts>[], facts: Facts): readonly string[] {
  return invariants.flatMap((invariant) => invariant(facts) ?? []);
}
