import { EXPECTED_HEAD, INPUT_REF, LOGICAL_TASK_KEY, PHASE, STAGING_COMMIT } from "@perago/fence";
import type { Completion, Execution, History, Target, TargetCommit } from "./history.ts";

/** What an invariant found broken: which, what, and where. */
export interface Violation {
  readonly invariant: string;
  readonly what: string;
  readonly where: string;
}

/** A commit with its target and its place on it. */
export interface Placed {
  readonly target: Target;
  readonly at: number;
  readonly commit: TargetCommit;
}

/** One invariant: everything in the history that breaks it. */
export type Invariant = (history: History) => readonly Violation[];

/** All commits of all targets that Perago published. */
export function confirms({ targets }: History): readonly Placed[] {
  return targets.flatMap((target) =>
    target.commits.flatMap((commit, at) => (isConfirm(commit) && at > 0 ? [{ target, at, commit }] : [])),
  );
}

/** Whether Perago published it. */
export function isConfirm({ metadata }: TargetCommit): boolean {
  return metadata[PHASE] === "confirm";
}

/** Whether it is a confirm commit of this logical task. */
export function isOwn(commit: TargetCommit, logicalTaskKey: string | undefined): boolean {
  return isConfirm(commit) && commit.metadata[LOGICAL_TASK_KEY] === logicalTaskKey;
}

/** Whether it lies on the head that its fence had seen. */
export function isOnExpectedHead({ metadata, parents }: TargetCommit): boolean {
  return metadata[EXPECTED_HEAD] === parents[0];
}

/**
 * What a commit was published over as its fence saw it: from its input (left out) to the head that it expected.
 * Undefined where the input is not below that head.
 */
export function publishedOver({ target, at, commit }: Placed): readonly TargetCommit[] | undefined {
  const below = target.commits.slice(0, at);
  const input = below.findIndex(({ id }) => id === commit.metadata[INPUT_REF]);
  const head = below.findIndex(({ id }) => id === commit.metadata[EXPECTED_HEAD]);
  return input < 0 || head < input ? undefined : below.slice(input + 1, head + 1);
}

/** The target that an output names. */
export function targetOf({ targets }: History, { repository, branch }: Completion): Target | undefined {
  return targets.find((target) => target.repository === repository && target.branch === branch);
}

/** Where a completed output stands on its target; undefined where it does not. */
export function placeOf(history: History, completion: Completion): Placed | undefined {
  const target = targetOf(history, completion);
  const at = target?.commits.findIndex(({ id }) => id === completion.ref) ?? -1;
  const commit = target?.commits[at];
  return target === undefined || commit === undefined ? undefined : { target, at, commit };
}

/** The confirm commits of an execution that stand on targets. */
export function publishedBy(history: History, execution: Execution): readonly Placed[] {
  const { stagingCommit } = execution;
  if (stagingCommit === undefined) return [];
  return confirms(history).filter(({ commit }) => commit.metadata[STAGING_COMMIT] === stagingCommit);
}

/** `<repository>/<branch> <commit>`. */
export function whereOf({ target, commit }: Placed): string {
  return `${target.repository}/${target.branch} ${commit.id.slice(0, 12)}`;
}

/** The code that a reason begins with (rule R3). */
export function codeOf(reason: string | undefined): string {
  return reason?.split(":")[0] ?? "";
}
