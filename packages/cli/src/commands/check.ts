import { requiredResponseSeconds } from "@perago/budget";
import type { TaskDescription } from "@perago/worker";
import type { CommandContext } from "../context.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { countFindings, hasErrors, type Finding } from "../findings.ts";
import { findingLines, labelled, oneLine } from "../output/finding-lines.ts";
import { readModules, shownPath } from "../read-modules.ts";

/** Arguments of `perago check`. */
export interface CheckArguments {
  readonly modules: readonly string[];
  readonly json: boolean;
}

/**
 * Lists everything that is wrong or doubtful with the modules; 1 where an error is among it. Opens no connection (case
 * P11).
 */
export async function check(context: CommandContext, { modules, json }: CheckArguments): Promise<ExitCode> {
  const { tasks, findings } = await readModules(context, modules);
  const report = tasks.map((task) => reportOf(context.folder, task, findings));
  if (json) context.stdout.write(`${JSON.stringify({ tasks: report, findings }, null, 2)}\n`);
  else writeText(context, report, findings);
  return hasErrors(findings) ? EXIT.bad : EXIT.ok;
}

/** One sound task in the report; keys are those of `--json`. */
interface TaskReport {
  readonly name: string;
  readonly file: string;
  readonly export: string;
  /** `none`, `readOnly` or `writable`. */
  readonly workspace: string;
  /** Case C01: the number that the TaskDef gets, and where it comes from. */
  readonly responseTimeoutSeconds: number;
  readonly responseTimeoutSource: string;
  readonly ok: boolean;
}

function reportOf(folder: string, task: TaskDescription, findings: readonly Finding[]): TaskReport {
  const { name, workspace } = task;
  const own = findings.filter((finding) => finding.task === name);
  return {
    name,
    file: shownPath(folder, task.modulePath),
    export: task.exportName,
    workspace: workspace === undefined ? "none" : workspace.readOnly ? "readOnly" : "writable",
    responseTimeoutSeconds: task.responseSeconds,
    responseTimeoutSource: responseTimeoutSource(task),
    ok: !hasErrors(own),
  };
}

/** The TaskDef's number is always `timeout.responseSeconds`; the budget never changes it. */
function responseTimeoutSource({ publishBudget }: TaskDescription): string {
  const source = "controls.timeout.responseSeconds (600 where it is left out)";
  if (publishBudget === undefined) return source;
  const sum = [
    `merge ${publishBudget.lakefsMergeTimeoutSeconds}`,
    `completion ${publishBudget.conductorCompletionTimeoutSeconds}`,
    `grace ${publishBudget.workerShutdownGraceSeconds}`,
    `heartbeat ${publishBudget.heartbeatIntervalSeconds}`,
  ];
  return `${source}; the publish budget needs ${requiredResponseSeconds(publishBudget)} (${sum.join(" + ")})`;
}

function writeText({ stdout }: CommandContext, report: readonly TaskReport[], findings: readonly Finding[]): void {
  const nameWidth = Math.max(0, ...report.map(({ name }) => name.length));
  for (const task of report.filter(({ ok }) => ok)) {
    const name = stdout.paint("name", oneLine(task.name).padEnd(nameWidth));
    const source = `responseTimeoutSeconds ${task.responseTimeoutSeconds}: ${task.responseTimeoutSource}`;
    stdout.write(labelled(stdout, "ok", `${name}  ${oneLine(task.file)}`, [stdout.paint("faint", source)]));
  }
  for (const finding of findings) stdout.write(findingLines(stdout, finding));
  stdout.write(`${report.length} ${report.length === 1 ? "task" : "tasks"} read, ${countFindings(findings)}\n`);
}
