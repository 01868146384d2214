import { INPUT_REF, LOGICAL_TASK_KEY, SCHEDULED_TIME, STAGING_COMMIT, SUPERSEDES, TASK_ID } from "@perago/fence";
import type { History } from "./history.ts";
import {
  codeOf,
  confirms,
  isOnExpectedHead,
  isOwn,
  publishedOver,
  whereOf,
  type Invariant,
  type Placed,
} from "./index-of.ts";

/** S1: each confirm commit lies on the head that it expected; with the soft fence every exception is told. */
export const s1ExpectedHead: Invariant = (history) =>
  confirms(history).flatMap((placed) => {
    if (isOnExpectedHead(placed.commit)) return [];
    const where = whereOf(placed);
    if (history.fence === "hard")
      return [{ invariant: "S1", what: "does not lie on the head that it expected", where }];
    const { id } = placed.commit;
    if (history.completions.some(({ ref }) => ref === id))
      return [{ invariant: "S1", what: "lost a race and is a COMPLETED output", where }];
    return isTold(history, placed) ? [] : [{ invariant: "S1", what: "lost a race and nobody has told", where }];
  });

/** By its maker (C6), or, where that died or ended unknown, by the next walk, if there was one (P10). */
function isTold({ executions }: History, { target, at, commit }: Placed): boolean {
  const maker = executions.find(({ stagingCommit }) => stagingCommit === commit.metadata[STAGING_COMMIT]);
  if (maker?.reports.some(({ reason }) => codeOf(reason) === "publish_race") === true) return true;
  const tellers = executions.filter(({ notes }) =>
    notes.some(({ name, message }) => name === "publish_race" && message.includes(commit.id)),
  );
  if (tellers.length > 0) return true;
  const isExcused = maker?.end === "died" || maker?.reports.some(({ reason }) => codeOf(reason) === "publish_unknown");
  const key = commit.metadata[LOGICAL_TASK_KEY];
  return isExcused === true && !target.commits.slice(at + 1).some((later) => isOwn(later, key));
}

/** S3: no confirm commit was published over a foreign one. */
export const s3NoForeign: Invariant = (history) =>
  confirms(history).flatMap((placed) => {
    const over = publishedOver(placed);
    const where = whereOf(placed);
    if (over === undefined)
      return [{ invariant: "S3", what: "its input is not below the head that it expected", where }];
    const foreign = over.find((commit) => !isOwn(commit, placed.commit.metadata[LOGICAL_TASK_KEY]));
    if (foreign === undefined) return [];
    return [{ invariant: "S3", what: `was published over the foreign ${foreign.id.slice(0, 12)}`, where }];
  });

/** S4: nothing outside the prefix differs from the first parent, nor from the input where all between is own. */
export const s4OutsidePrefix: Invariant = (history) =>
  confirms(history).flatMap((placed) => {
    const { target, at, commit } = placed;
    const where = whereOf(placed);
    if (commit.outside !== target.commits[at - 1]?.outside)
      return [{ invariant: "S4", what: "changed something outside its prefix", where }];
    const key = commit.metadata[LOGICAL_TASK_KEY];
    if (!isOnExpectedHead(commit) || publishedOver(placed)?.every((other) => isOwn(other, key)) !== true) return [];
    const input = target.commits.find(({ id }) => id === commit.metadata[INPUT_REF]);
    if (input?.outside === commit.outside) return [];
    return [{ invariant: "S4", what: "differs from its input outside the prefix", where }];
  });

/** S6 with the hard fence: one chain of each logical task, each superseding the one before it. */
export const s6OneChain: Invariant = (history) => {
  if (history.fence === "soft") return [];
  return confirms(history).flatMap((placed) => {
    const { commit } = placed;
    const expected = commit.parents[0] === commit.metadata[INPUT_REF] ? "" : commit.parents[0];
    if (commit.metadata[SUPERSEDES] === expected) return [];
    return [{ invariant: "S6", what: `supersedes "${commit.metadata[SUPERSEDES]}"`, where: whereOf(placed) }];
  });
};

/** S9 with the hard fence: at most one confirm commit of a delivery. */
export const s9OncePerDelivery: Invariant = (history) => {
  if (history.fence === "soft") return [];
  const seen = new Set<string>();
  return confirms(history).flatMap((placed) => {
    const { metadata } = placed.commit;
    const delivery = `${metadata[TASK_ID]} ${metadata[SCHEDULED_TIME]}`;
    if (seen.has(delivery))
      return [{ invariant: "S9", what: "is a second commit of its delivery", where: whereOf(placed) }];
    seen.add(delivery);
    return [];
  });
};

/** S14: whatever stood on a target once still stands there. */
export const s14NothingLeaves: Invariant = ({ targets, seenCommits }) => {
  const standing = new Map(
    targets.map(({ repository, branch, commits }) => [`${repository}/${branch}`, new Set(commits.map(({ id }) => id))]),
  );
  return seenCommits.flatMap(({ repository, branch, commit }) => {
    if (standing.get(`${repository}/${branch}`)?.has(commit) === true) return [];
    return [{ invariant: "S14", what: "has left its target", where: `${repository}/${branch} ${commit.slice(0, 12)}` }];
  });
};
