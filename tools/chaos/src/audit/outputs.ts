import { SCHEDULED_TIME, TASK_ID } from "@perago/fence";
import type { AuditedTask, Completion, Execution, History } from "./history.ts";
import { isConfirm, isOwn, placeOf, whereOf, type Invariant, type Placed, type Violation } from "./index-of.ts";

/** S2: a COMPLETED output is on its target, and shows the folder of the execution that reported it. */
export const s2Completed: Invariant = (history) =>
  history.completions.flatMap((completion): Violation[] => {
    const where = outputName(completion);
    const placed = placeOf(history, completion);
    if (placed === undefined) return [{ invariant: "S2", what: "is not on its target", where }];
    const reports = reportsOf(history, completion).filter(({ ref }) => ref === completion.ref);
    if (reports.length === 0) return [{ invariant: "S2", what: "was reported by nobody", where }];
    const shown = treeText(placed.commit.inside);
    if (reports.some(({ files }) => files !== undefined && treeText(files) === shown)) return [];
    return [{ invariant: "S2", what: `shows ${shown}, the folder held ${treeText(reports[0]?.files ?? {})}`, where }];
  });

/**
 * S9 with the hard fence: after a COMPLETED output no older delivery of its logical task publishes, and it was not
 * superseded already when the engine took it.
 */
export const s9NoOlderAfter: Invariant = (history) =>
  history.fence === "soft"
    ? []
    : history.completions.flatMap((completion) =>
        supersedersOf(history, completion).flatMap((placed): Violation[] => {
          const where = `${outputName(completion)} by ${whereOf(placed)}`;
          if (scheduledTime(placed) < completion.scheduledTime)
            return [{ invariant: "S9", what: "was superseded by an older delivery", where }];
          // lakeFS tells whole seconds.
          if (placed.commit.createdAtSeconds + 1 < completion.endTimeMs / 1000)
            return [{ invariant: "S9", what: "was superseded before the engine took it", where }];
          return [];
        }),
      );

/** S11 with the hard fence: a COMPLETED output is superseded only where somebody has asked for it. */
export const s11Asked: Invariant = (history) =>
  history.fence === "soft"
    ? []
    : history.completions.flatMap((completion) =>
        supersedersOf(history, completion).flatMap((placed): Violation[] => {
          const isAsked = history.asked.some(
            ({ workflowId, atMs }) =>
              workflowId === completion.workflowId && atMs >= completion.endTimeMs && atMs <= scheduledTime(placed),
          );
          if (isAsked) return [];
          return [
            { invariant: "S11", what: `was superseded by ${whereOf(placed)} unasked`, where: outputName(completion) },
          ];
        }),
      );

const BY_A_WORKER: ReadonlySet<string> = new Set(["COMPLETED", "FAILED", "FAILED_WITH_TERMINAL_ERROR"]);

/** S12: a task was ended by a result of its delivery, sent by its holder or with an own commit of that delivery. */
export const s12OwnResult: Invariant = (history) =>
  history.workflows.flatMap(({ workflowId, tasks }) =>
    tasks
      .filter(({ status }) => BY_A_WORKER.has(status))
      .flatMap((task): Violation[] => {
        const reporters = history.executions.filter(
          ({ name, reports }) =>
            name.taskId === task.taskId &&
            name.scheduledTime === task.scheduledTime &&
            reports.some(({ status }) => status === task.status),
        );
        const isByHolder = reporters.some(({ name }) => name.pollCount === task.pollCount);
        if (isByHolder || (reporters.length > 0 && hasOwnCommit(history, task))) return [];
        const what = reporters.length === 0 ? "no execution of its delivery has reported" : "another holder has ended";
        return [{ invariant: "S12", what: `${what} ${task.status}`, where: `${workflowId} task ${task.taskId}` }];
      }),
  );

/** Whether a task's output is a confirm commit of its own delivery (R8). */
function hasOwnCommit({ targets }: History, { taskId, ref, scheduledTime: time }: AuditedTask): boolean {
  return targets.some(({ commits }) =>
    commits.some(
      (commit) =>
        commit.id === ref &&
        isConfirm(commit) &&
        commit.metadata[TASK_ID] === taskId &&
        commit.metadata[SCHEDULED_TIME] === String(time),
    ),
  );
}

/** The own confirm commits above a completed output. */
function supersedersOf(history: History, completion: Completion): readonly Placed[] {
  const placed = placeOf(history, completion);
  if (placed === undefined) return [];
  const { target, at } = placed;
  return target.commits.flatMap((commit, index) =>
    index > at && isOwn(commit, completion.logicalTaskKey) ? [{ target, at: index, commit }] : [],
  );
}

function scheduledTime({ commit }: Placed): number {
  return Number(commit.metadata[SCHEDULED_TIME]);
}

function reportsOf({ executions }: History, { taskId, scheduledTime: time }: Completion): Execution["reports"] {
  return executions
    .filter(({ name }) => name.taskId === taskId && name.scheduledTime === time)
    .flatMap(({ reports }) => reports.filter(({ status }) => status === "COMPLETED"));
}

function treeText(files: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([path, digest]) => `${path}:${digest.slice(0, 8)}`).join(" ")}}`;
}

function outputName({ repository, branch, taskId, ref }: Completion): string {
  return `output ${ref.slice(0, 12)} of task ${taskId} on ${repository}/${branch}`;
}
