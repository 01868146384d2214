import type { ModelCommit, Repository } from "../model/repository.ts";
import { outsideOf, treeText } from "../model/trees.ts";
import type { Completion, Invariant, Landing } from "./facts.ts";

/** S1 with the hard fence: a confirm commit lies on the head that it expected. */
export const s1ExpectedHead: Invariant<Landing> = ({ commit, hardFence }) =>
  !hardFence || commit.metadata["perago.expected_head"] === commit.parents[0]
    ? undefined
    : `S1: ${commit.number} expected ${commit.metadata["perago.expected_head"]?.slice(0, 8)}`;

/** S1, rule H2: where the hard fence is required nothing is published without it. */
export const s1Required: Invariant<Landing> = ({ commit, isRequiredInVain }) =>
  isRequiredInVain ? `S1: ${commit.number} was published without the hard fence that is required` : undefined;

/** S3: no Perago commit follows a foreign one in the range that it was published over. */
export const s3NoForeign: Invariant<Landing> = ({ repository, commit, hardFence }) => {
  if (!hardFence) return undefined;
  const foreign = publishedOver(repository, commit).find((other) => !isOwn(other, keyOf(commit)));
  return foreign === undefined ? undefined : `S3: ${commit.number} was published over the foreign ${foreign.number}`;
};

/** S4: outside the prefix nothing differs from the first parent; nor from the input where all between is own. */
export const s4OutsidePrefix: Invariant<Landing> = ({ repository, commit }) => {
  const outside = outside4(commit);
  if (outside !== outside4(repository.commit(commit.parent))) return `S4: ${commit.number} changed what lies outside`;
  if (!publishedOver(repository, commit).every((other) => isOwn(other, keyOf(commit)))) return undefined;
  const input = inputOf(repository, commit);
  return outside === outside4(input) ? undefined : `S4: outside the prefix ${commit.number} differs from its input`;
};

/** S6 with the hard fence: one chain, each confirm commit superseding the one before it. */
export const s6OneChain: Invariant<Landing> = ({ repository, commit, hardFence }) => {
  if (!hardFence) return undefined;
  const onInput = commit.parents[0] === inputOf(repository, commit).id;
  const expected = onInput ? "" : commit.parents[0];
  return commit.metadata["perago.supersedes"] === expected ? undefined : `S6: ${commit.number} supersedes another`;
};

/** S9 with the hard fence: no older delivery publishes after a completed output. */
export const s9NoOlder: Invariant<Landing> = ({ commit, completions, hardFence }) => {
  if (!hardFence) return undefined;
  const time = Number(commit.metadata["perago.scheduled_time"]);
  const passed = sameTask(completions, commit).find((done) => done.scheduledTime > time);
  return passed === undefined ? undefined : `S9: ${commit.number} of delivery ${time} after ${passed.scheduledTime}`;
};

/** S9: at most one confirm commit of a delivery (hard fence), and of an execution (any fence, if sent once). */
export const s9Once: Invariant<Landing> = ({ repository, commit, hardFence, copied }) => {
  const same = (keys: readonly string[]): boolean =>
    repository
      .history(commit.parent)
      .some((other) => keys.every((key) => other.metadata[key] === commit.metadata[key]));
  if (hardFence && same(["perago.phase", "perago.task_id", "perago.scheduled_time"])) {
    return `S9: ${commit.number} is a second confirm commit of one delivery`;
  }
  return !copied && same(["perago.staging_commit"]) ? `S9: ${commit.number} was merged twice` : undefined;
};

/** S11 with the hard fence: a completed output is superseded only where somebody asked for it. */
export const s11Asked: Invariant<Landing> = ({ commit, completions, hardFence }) => {
  if (!hardFence) return undefined;
  const output = sameTask(completions, commit).find(({ asked }) => !asked);
  return output === undefined ? undefined : `S11: ${commit.number} supersedes an output that nobody gave up`;
};

/** Everything that is checked when a confirm commit lands. */
export const LANDING: readonly Invariant<Landing>[] = [
  s1ExpectedHead,
  s1Required,
  s3NoForeign,
  s4OutsidePrefix,
  s6OneChain,
  s9NoOlder,
  s9Once,
  s11Asked,
];

/** Whether a commit is a confirm commit of this logical task. */
export function isOwn(commit: ModelCommit, logicalTaskKey: string | undefined): boolean {
  const { metadata } = commit;
  return metadata["perago.phase"] === "confirm" && metadata["perago.logical_task_key"] === logicalTaskKey;
}

function keyOf(commit: ModelCommit): string | undefined {
  return commit.metadata["perago.logical_task_key"];
}

function inputOf(repository: Repository, commit: ModelCommit): ModelCommit {
  return repository.byId(commit.metadata["perago.input_ref"] ?? "");
}

function outside4(commit: ModelCommit): string {
  return treeText(outsideOf(commit.tree));
}

/** The commits between the new one and its input, neither counted. */
function publishedOver(repository: Repository, commit: ModelCommit): readonly ModelCommit[] {
  const input = inputOf(repository, commit).id;
  return repository.range(commit.parent, input, Infinity).filter(({ id }) => id !== input);
}

function sameTask(completions: readonly Completion[], commit: ModelCommit): readonly Completion[] {
  return completions.filter(({ logicalTaskKey }) => logicalTaskKey === keyOf(commit));
}
