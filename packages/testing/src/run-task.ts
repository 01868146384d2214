import path from "node:path";
import { isTaskDefinition, type TaskDefinition, type WorkspaceSpec } from "@perago/taskdef";
import { runHere, runLocally, systemClock, type Failure, type LocalLogLine, type LocalRun } from "@perago/worker";
import type { z } from "zod";
import { processEnvironment } from "./config/process-environment.ts";
import { TestingError } from "./errors.ts";
import { openTemporary, readFiles, toFileBytes, writeFiles, type FileBytes, type Files } from "./files.ts";
import { chooseTask, describeTasks, type TaskModule } from "./modules.ts";

/** What {@link runTask} runs a task with. */
export interface RunTaskOptions<Params = unknown> {
  readonly params: Params;
  /** What stands in the workspace folder before the body. Default: nothing. */
  readonly files?: Files;
  /** The task of a module that has several. */
  readonly task?: string;
  /** Fires the body's signal; the run ends as FAILED. */
  readonly signal?: AbortSignal;
}

/** How a task ended, as a host would report it, and what it left. */
export type TaskRun<Result = unknown> = {
  /**
   * The workspace folder afterwards, all files. Of a read-only task a host would discard it. Empty without a workspace.
   */
  readonly files: FileBytes;
  /** What the body logged (and, in a process of its own, printed), in order. */
  readonly logs: readonly LocalLogLine[];
} & (
  | { readonly status: "COMPLETED"; readonly result: Result; readonly failure?: undefined }
  | {
      readonly status: "FAILED" | "FAILED_WITH_TERMINAL_ERROR";
      readonly result?: undefined;
      readonly failure: Failure;
    }
);

/**
 * Runs one task in a temporary folder, with its schemas and guardrails, without servers. A task object runs in this
 * very
 * process (breakpoints, coverage; a body that hangs is not killed); a module runs in an executor process, as on a host.
 * Throws a TestingError where the task cannot be run at all; what the task does wrong is in the answer.
 */
export async function runTask<
  P extends z.ZodObject,
  O extends z.ZodObject,
  W extends WorkspaceSpec | undefined = undefined,
>(task: TaskDefinition<P, O, W>, options: RunTaskOptions<z.input<P>>): Promise<TaskRun<z.output<O>>>;
export async function runTask(module: TaskModule, options: RunTaskOptions): Promise<TaskRun>;
export async function runTask(subject: unknown, options: RunTaskOptions): Promise<TaskRun> {
  const temporary = await openTemporary("test-task");
  const logs: LocalLogLine[] = [];
  const folder = path.join(temporary.path, "workspace");
  try {
    await writeFiles(folder, options.files ?? {});
    const common = {
      params: options.params,
      folder,
      clock: systemClock,
      onLog: (line: LocalLogLine): void => void logs.push(line),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    };
    const { hasWorkspace, run } = await prepare(subject, options.task);
    if (!hasWorkspace && Object.keys(options.files ?? {}).length > 0) {
      throw new TestingError("files_refused", "the task has no workspace for files", "Leave out `files`.");
    }
    const ended = await run(common);
    return { ...ended, files: hasWorkspace ? await readFiles(folder) : toFileBytes([]), logs };
  } finally {
    await temporary.remove();
  }
}

type Common = Omit<Parameters<typeof runHere>[0], "task">;

interface Prepared {
  readonly hasWorkspace: boolean;
  readonly run: (common: Common) => Promise<LocalRun>;
}

async function prepare(subject: unknown, name: string | undefined): Promise<Prepared> {
  if (isTaskDefinition(subject)) {
    const errors = subject.findings.filter(({ severity }) => severity === "error");
    const [first] = errors;
    if (first !== undefined) {
      const message = errors.map((finding) => finding.message).join("; ");
      throw new TestingError("declaration_refused", `${subject.name}: ${message}`, first.hint);
    }
    return { hasWorkspace: subject.workspace !== undefined, run: (common) => runHere({ ...common, task: subject }) };
  }
  if (typeof subject !== "string" && !(subject instanceof URL)) {
    throw new TestingError(
      "task_unknown",
      "this is neither a task nor a module",
      "Give defineTask's answer, or a path.",
    );
  }
  const task = chooseTask(await describeTasks([subject]), name);
  const environment = processEnvironment();
  return {
    hasWorkspace: task.workspace !== undefined,
    run: (common) => runLocally({ ...common, task, environment }),
  };
}
