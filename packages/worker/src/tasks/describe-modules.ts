import path from "node:path";
import type { Clock } from "../attempt/ports/clock.ts";
import { scrubEnvironment } from "../executor/environment.ts";
import { describeInChild, type DescribeResult } from "./describe-process.ts";
import type { DescribedTask } from "./describe-messages.ts";
import type { TaskDescription, TaskFinding } from "./description.ts";
import { resolveModulePath } from "./module-path.ts";

const CONCURRENT_CHILDREN = 2;

/** What {@link describeModules} needs; all but the clock have defaults. */
export interface DescribeModulesOptions {
  readonly clock: Clock;
  /** Paths are relative to it. Default: the working folder. */
  readonly folder?: string;
  /** The host's environment; the child gets it scrubbed. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly secretNames?: readonly string[];
  /** Time for the import of one module. Default 30 s. */
  readonly importDeadlineMs?: number;
}

/** All tasks that can be extracted, and everything that is wrong or doubtful with the modules and the other tasks. */
export interface DescribedModules {
  readonly tasks: readonly TaskDescription[];
  /** Findings of modules, of tasks with errors (which are not in `tasks`), and of names used twice. */
  readonly findings: readonly TaskFinding[];
}

/**
 * Imports each module in a short-lived child process and returns its tasks as data. Never throws over a module: what
 * is wrong with one is a finding. Warnings of sound tasks are in their description.
 */
export async function describeModules(
  paths: readonly string[],
  options: DescribeModulesOptions,
): Promise<DescribedModules> {
  const results = new Map<string, Module>();
  const queue = [...new Set(paths)].entries();
  const worker = async (): Promise<void> => {
    for (const [index, given] of queue) results.set(given, await describeOne(given, index, options));
  };
  await Promise.all(Array.from({ length: CONCURRENT_CHILDREN }, worker));
  const modules = unique([...results.values()].toSorted((a, b) => a.index - b.index));
  const named = modules.flatMap(({ named: some }) => some);
  return {
    tasks: modules.flatMap(({ tasks }) => tasks),
    findings: [...modules.flatMap(({ findings }) => findings), ...duplicateNames(named)],
  };
}

interface NamedTask {
  readonly name: string;
  readonly modulePath: string;
  readonly exportName: string;
}

interface Module {
  readonly index: number;
  readonly modulePath?: string;
  readonly tasks: readonly TaskDescription[];
  readonly named: readonly NamedTask[];
  readonly findings: readonly TaskFinding[];
}

async function describeOne(given: string, index: number, options: DescribeModulesOptions): Promise<Module> {
  const resolved = await resolveModulePath(given, options.folder ?? process.cwd());
  if (!resolved.ok) return { index, tasks: [], named: [], findings: [resolved.finding] };
  const { modulePath } = resolved;
  const result = await describeInChild(modulePath, {
    clock: options.clock,
    environment: scrubEnvironment(options.environment, options.secretNames),
    ...(options.importDeadlineMs === undefined ? {} : { deadlineMs: options.importDeadlineMs }),
  });
  const failed = moduleFinding(result, modulePath);
  if (result.type !== "described" || failed !== undefined) {
    return { index, modulePath, tasks: [], named: [], findings: failed === undefined ? [] : [failed] };
  }
  return {
    index,
    modulePath,
    tasks: result.tasks.flatMap((task) => toDescription(task, modulePath)),
    named: result.tasks.map(({ name, exportName }) => ({ name, exportName, modulePath })),
    findings: result.tasks.flatMap((task) => (task.task === undefined ? taskFindings(task, modulePath) : [])),
  };
}

/** One module given twice, by two paths or a link, is one module. */
function unique(modules: readonly Module[]): readonly Module[] {
  const seen = new Set<string>();
  return modules.filter(({ modulePath }) => {
    if (modulePath === undefined) return true;
    const isNew = !seen.has(modulePath);
    seen.add(modulePath);
    return isNew;
  });
}

function toDescription(described: DescribedTask, modulePath: string): TaskDescription[] {
  if (described.task === undefined) return [];
  const { exportName, name } = described;
  return [{ modulePath, exportName, name, ...described.task, findings: taskFindings(described, modulePath) }];
}

function taskFindings(described: DescribedTask, modulePath: string): TaskFinding[] {
  return described.findings.map((finding) => ({
    ...finding,
    message: `${described.name}: ${finding.message}`,
    modulePath,
    taskName: described.name,
  }));
}

/** Fault J6: whatever a module does at import has a finding of its own. */
function moduleFinding(result: DescribeResult, modulePath: string): TaskFinding | undefined {
  const file = path.basename(modulePath);
  const error = (code: string, message: string, hint: string): TaskFinding => {
    return { severity: "error", code, message, hint, modulePath };
  };
  switch (result.type) {
    case "not_imported":
      return error(result.code, result.message, result.hint);
    case "hung": {
      const message = `the import of ${file} did not end within ${result.deadlineMs / 1000} s`;
      return error("module_hangs", message, "Await nothing endless at the top of the module; work belongs in run().");
    }
    case "silent": {
      const how = result.exitCode === null ? result.end : `it ended the process with exit code ${result.exitCode}`;
      const detail = result.exitCode === null || result.exitCode === 0 ? "" : `; ${result.end}`;
      const hint = "A task module must not end the process: remove process.exit() and the like from it.";
      return error("module_exits", `${file} could not be imported: ${how}${detail}`, hint);
    }
    case "described": {
      if (result.tasks.length > 0) return undefined;
      const hint = result.hasBareRun
        ? "Wrap the exported object: export default defineTask({ ... })."
        : "Export at least one: export default defineTask({ ... }).";
      return error("module_without_task", `${file} exports no task`, hint);
    }
  }
}

function duplicateNames(named: readonly NamedTask[]): TaskFinding[] {
  const first = new Map<string, NamedTask>();
  return named.flatMap((task) => {
    const other = first.get(task.name);
    if (other === undefined) {
      first.set(task.name, task);
      return [];
    }
    const [here, there] = [place(task), place(other)];
    const message = `the task name ${task.name} is used twice: by ${there} and by ${here}`;
    const hint = "Names are unique in a host: rename one of them.";
    const where = { modulePath: task.modulePath, taskName: task.name };
    return [{ severity: "error" as const, code: "task_name_twice", message, hint, ...where }];
  });
}

function place({ modulePath, exportName }: NamedTask): string {
  const relative = path.relative(process.cwd(), modulePath);
  return `${relative.startsWith("..") ? modulePath : relative} (${exportName})`;
}
