import { isStagingBranchName } from "@perago/fence";
import { HARD_FENCE_PROBE_PREFIX } from "@perago/fence/hard-fence";
import type { Execution, History, QuietTrial } from "./history.ts";
import { codeOf, isConfirm, isOwn, publishedBy, whereOf, type Invariant, type Violation } from "./index-of.ts";

/** S5: who was stale at the second check publishes nothing from then on. */
export const s5Stale: Invariant = (history) =>
  history.executions.flatMap((execution): Violation[] => {
    const { checks, mergeCount } = execution;
    const stale = checks.find(({ current }) => !current);
    if (stale === undefined) return [];
    const where = executionName(execution);
    if (mergeCount > stale.mergesBefore)
      return [{ invariant: "S5", what: "sent a merge though it was stale at the second check", where }];
    if (stale.mergesBefore > 0) return [];
    return publishedBy(history, execution).map((placed) => ({
      invariant: "S5",
      what: `was stale at the second check and has published ${whereOf(placed)}`,
      where,
    }));
  });

const SAYS_NOTHING: ReadonlySet<string> = new Set(["publish_unknown", "publish_race"]);

/** S10: everything ends, and no reason denies what stands on the target. */
export const s10Ends: Invariant = (history) => [
  ...history.left.unended.map((where) => ({ invariant: "S10", what: "did not end", where })),
  ...history.executions
    .filter(({ end }) => end === "open")
    .map((execution) => ({ invariant: "S10", what: "did not end", where: executionName(execution) })),
  ...history.workflows.flatMap(({ workflowId, status, tasks }) => {
    const open = tasks.filter((task) => task.status === "IN_PROGRESS" || task.status === "SCHEDULED");
    if (status !== "RUNNING" && open.length === 0) return [];
    return [{ invariant: "S10", what: `is ${status} with ${open.length} open task(s)`, where: workflowId }];
  }),
  ...history.executions.flatMap((execution): Violation[] => {
    const last = execution.reports.at(-1);
    const code = codeOf(last?.reason);
    if (last === undefined || last.status === "COMPLETED" || SAYS_NOTHING.has(code)) return [];
    if (execution.mergeOnItsWay) return [];
    return publishedBy(history, execution).map((placed) => ({
      invariant: "S10",
      what: `ended ${code} though ${whereOf(placed)} stands`,
      where: executionName(execution),
    }));
  }),
];

/**
 * S7: after a sweep past the TTL nothing is left; before it only what a dead host, an unknown merge or a refused
 * cleanup leaves. No branch of others is gone.
 */
export const s7NothingLeft: Invariant = ({ left, executions }) => {
  const excused = (execution: Execution | undefined): boolean =>
    execution !== undefined &&
    (execution.end === "died" ||
      execution.notes.some(({ name }) => name === "cleanup_failed") ||
      execution.mergeCount > execution.merged.length);
  const branches = left.branches.filter(({ name }) => isStagingBranchName(name));
  return [
    ...branches
      .filter(({ name }) => {
        if (!left.isSwept.branches && name.startsWith(HARD_FENCE_PROBE_PREFIX)) return false;
        const maker = executions.find(({ stagingBranch }) => stagingBranch === name);
        return left.isSwept.branches || !excused(maker);
      })
      .map(({ repository, name }) => ({ invariant: "S7", what: "is left", where: `${repository}/${name}` })),
    ...left.folders
      .filter((id) => left.isSwept.folders || !excused(executions.find(({ name }) => name.executionId === id)))
      .map((id) => ({ invariant: "S7", what: "has left its folder", where: `execution ${id}` })),
    ...left.foreignBranches
      .filter(({ repository, name }) => !left.branches.some((b) => b.repository === repository && b.name === name))
      .map(({ repository, name }) => ({
        invariant: "S7",
        what: "is gone, and was not ours",
        where: `${repository}/${name}`,
      })),
  ];
};

/** S13: what nobody disturbs ends COMPLETED, unless a foreign commit lies in its range; then it publishes nothing. */
export const s13Quiet: Invariant = (history) =>
  history.quiet.flatMap((trial): Violation[] => {
    const where = `${trial.what} of ${trial.workflowId} on ${trial.repository}/${trial.branch}`;
    const target = history.targets.find((t) => t.repository === trial.repository && t.branch === trial.branch);
    const commits = target?.commits ?? [];
    const before = commits.findIndex(({ id }) => id === trial.headBefore);
    if (isForeignInRange(history, trial)) {
      const published = commits.slice(before + 1).filter((commit) => isConfirm(commit));
      if (published.length === 0 && trial.statusAfter !== "COMPLETED") return [];
      return [{ invariant: "S13", what: "has published over a foreign commit", where }];
    }
    if (trial.statusAfter === "COMPLETED") return [];
    return [{ invariant: "S13", what: `ended ${trial.statusAfter} though nobody disturbed it`, where }];
  });

function isForeignInRange({ targets }: History, { repository, branch, ...trial }: QuietTrial): boolean {
  const target = targets.find((each) => each.repository === repository && each.branch === branch);
  const commits = target?.commits ?? [];
  const input = commits.findIndex(({ id }) => id === trial.inputRef);
  const head = commits.findIndex(({ id }) => id === trial.headBefore);
  return input < 0 || commits.slice(input + 1, head + 1).some((commit) => !isOwn(commit, trial.logicalTaskKey));
}

function executionName({ name }: Execution): string {
  return `execution ${name.executionId} of task ${name.taskId} (${name.referenceTaskName} of ${name.workflowId})`;
}
