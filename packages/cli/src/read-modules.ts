import path from "node:path";
import { describeModules, systemClock, type TaskDescription, type TaskFinding } from "@perago/worker";
import type { CommandContext } from "./context.ts";
import type { Finding } from "./findings.ts";

/** The tasks of the given modules that can be extracted, and everything that is wrong or doubtful. */
export interface ReadModules {
  readonly tasks: readonly TaskDescription[];
  readonly findings: readonly Finding[];
}

/**
 * Imports the modules in children of their own and lists all findings, those of sound tasks too. Opens no connection
 * (case P11).
 */
export async function readModules(context: CommandContext, modules: readonly string[]): Promise<ReadModules> {
  const { environment, folder } = context;
  const described = await describeModules(modules, { clock: systemClock, folder, environment });
  const ofTasks = described.tasks.flatMap((task) =>
    task.findings.map((finding) => toFinding(folder, finding, task.name, task.modulePath)),
  );
  return {
    tasks: described.tasks,
    findings: [
      ...platformFindings(context.platform),
      ...described.findings.map((finding) => toFinding(folder, finding)),
      ...ofTasks,
    ],
  };
}

/** Case N18: keys are joined with `/`; paths of Windows are not handled. */
export function platformFindings(platform: NodeJS.Platform): Finding[] {
  if (platform !== "win32") return [];
  const message = "Windows is not supported: folders, process groups and signals are used as POSIX has them";
  return [{ severity: "error", code: "platform_unsupported", message, hint: "Use Linux, macOS, or WSL 2." }];
}

/** A path as it is shown: from the folder where it lies below it. */
export function shownPath(folder: string, file: string): string {
  const relative = path.relative(folder, file);
  return relative === "" || relative.startsWith("..") || path.isAbsolute(relative) ? file : relative;
}

function toFinding(folder: string, finding: TaskFinding, task = finding.taskName, file = finding.modulePath): Finding {
  const { severity, code, hint } = finding;
  const prefix = `${task}: `;
  // The task has a column of its own.
  const message = finding.message.startsWith(prefix) ? finding.message.slice(prefix.length) : finding.message;
  return {
    severity,
    ...(file === undefined ? {} : { file: shownPath(folder, file) }),
    ...(task === undefined ? {} : { task }),
    code,
    message,
    hint,
  };
}
