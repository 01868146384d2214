import type { TaskDef } from "@perago/taskdef";
import { CommandError } from "./command-error.ts";
import type { CommandContext } from "./context.ts";
import { EXIT } from "./exit-codes.ts";
import { hasErrors, type Finding } from "./findings.ts";
import { findingLines } from "./output/finding-lines.ts";
import { readModules } from "./read-modules.ts";

/**
 * The TaskDefs of the modules in the order given; warnings go to stderr. One error finding refuses all (exit code 1).
 * Opens no connection (case P11).
 */
export async function extractTaskDefs(
  context: CommandContext,
  modules: readonly string[],
): Promise<readonly TaskDef[]> {
  const { tasks, findings } = await readModules(context, modules);
  if (hasErrors(findings)) throw modulesRefused(findings);
  for (const finding of findings) context.stderr.write(findingLines(context.stderr, finding));
  return tasks.map(({ taskDef }) => taskDef);
}

/** The error of modules with error findings (exit code 1), with all of them. */
export function modulesRefused(findings: readonly Finding[]): CommandError {
  return new CommandError({
    exitCode: EXIT.bad,
    code: "modules_refused",
    message: "the task modules have errors",
    hint: "Correct what is listed; perago check lists it again.",
    findings,
  });
}
