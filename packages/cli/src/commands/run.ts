import { runLocally, systemClock, type LocalLogLine, type LocalRun, type TaskDescription } from "@perago/worker";
import { CommandError } from "../command-error.ts";
import type { CommandContext } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { modulesRefused } from "../extractable.ts";
import { hasErrors } from "../findings.ts";
import { copyOf, inPlace, requireFolder, type LocalFolder } from "../local-folder.ts";
import { findingLines, labelled, oneLine } from "../output/finding-lines.ts";
import { readModules } from "../read-modules.ts";
import { signalExitCode, type Signals, type StopSignal } from "../signals.ts";

/** Arguments of `perago run`. */
export interface RunArguments {
  readonly module: string;
  /** Needed where the module has several tasks. */
  readonly task?: string;
  /** JSON text of an object. */
  readonly params: string;
  /** Needed where the task has a workspace. */
  readonly workspace?: string;
  readonly copy: boolean;
  readonly json: boolean;
}

/**
 * Runs one body on a local folder with its guardrails, without servers: 0 with its result on stdout, 1 where it was
 * refused or failed, 130 or 143 where a signal ended it. A writable task works in place unless `--copy` says otherwise;
 * a read-only one never does (rule R1).
 */
export async function run(context: CommandContext, args: RunArguments, signals: Signals): Promise<number> {
  const params = readParams(args.params);
  const task = await readTask(context, args);
  const folder = await openFolder(context, args, task);
  const stop = new AbortController();
  let signalled: StopSignal | undefined;
  signals.handle((signal) => {
    signalled ??= signal;
    stop.abort();
  });
  try {
    const ended = await runLocally({
      task,
      params,
      ...(folder === undefined ? {} : { folder: folder.path }),
      clock: systemClock,
      environment: context.environment,
      onLog: (line) => context.stderr.write(logLine(context, line)),
      signal: stop.signal,
    });
    if (signalled !== undefined) return signalExitCode(signalled);
    tell(context, args, { task, folder, ended });
    return EXIT.ok;
  } finally {
    await folder?.leave();
  }
}

function readParams(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Said below, with the mend.
  }
  throw usage("params_json", "--params is no JSON object", `Quote it for the shell: --params '{"name": "value"}'`);
}

async function readTask(context: CommandContext, args: RunArguments): Promise<TaskDescription> {
  const { tasks, findings } = await readModules(context, [args.module]);
  if (hasErrors(findings)) throw modulesRefused(findings);
  for (const finding of findings) {
    if (args.task === undefined || finding.task === undefined || finding.task === args.task) {
      context.stderr.write(findingLines(context.stderr, finding));
    }
  }
  const names = tasks.map(({ name }) => name).join(", ");
  const [first, ...others] = args.task === undefined ? tasks : tasks.filter(({ name }) => name === args.task);
  if (first === undefined) {
    throw usage("task_unknown", `${args.module} has no task ${args.task}`, `Its tasks are: ${names}.`);
  }
  if (others.length > 0) {
    throw usage("task_ambiguous", `${args.module} has ${tasks.length} tasks`, `Choose with --task: ${names}.`);
  }
  return first;
}

async function openFolder(
  { folder, stderr }: CommandContext,
  { workspace, copy }: RunArguments,
  task: TaskDescription,
): Promise<LocalFolder | undefined> {
  if (task.workspace === undefined) {
    if (workspace === undefined && !copy) return undefined;
    throw usage("workspace_unused", `${task.name} has no workspace`, "Leave out --workspace and --copy.");
  }
  if (workspace === undefined) {
    const hint = `Give the folder that stands for ${task.workspace.prefix}: --workspace DIR`;
    throw usage("workspace_missing", `${task.name} has a workspace`, hint);
  }
  const source = await requireFolder(folder, workspace);
  const { readOnly, prefix } = task.workspace;
  if (!copy && !readOnly) {
    stderr.write(labelled(stderr, "warning", `${task.name} works in place on ${oneLine(source)} (--copy: on a copy)`));
    return inPlace(source);
  }
  const made = await copyOf(source, { prefix, keep: copy });
  const fate = copy ? "which stays" : "for it is read-only: what it changes is discarded";
  stderr.write(labelled(stderr, "ok", `${task.name} works on a copy, ${copy ? `${oneLine(made.path)}, ` : ""}${fate}`));
  return made;
}

interface Ended {
  readonly task: TaskDescription;
  readonly folder: LocalFolder | undefined;
  readonly ended: LocalRun;
}

function tell({ stdout, stderr }: CommandContext, { json }: RunArguments, { task, folder, ended }: Ended): void {
  if (ended.status !== "COMPLETED") {
    const { code, message, hint } = ended.failure;
    const named = `${task.name} would be reported ${ended.status}: ${message}`;
    throw new CommandError({ exitCode: EXIT.bad, code, message: named, hint });
  }
  const workspace = folder?.isKept === true ? folder.path : null;
  const report = { task: task.name, status: ended.status, result: ended.result, workspace };
  stdout.write(`${JSON.stringify(json ? report : ended.result, null, 2)}\n`);
  if (!json) stderr.write(labelled(stderr, "ok", `${task.name} completed; nothing was published`));
}

function logLine({ stderr }: CommandContext, { level, message, fields }: LocalLogLine): string {
  const { stream: _, ...given } = fields;
  const shown = Object.keys(given).length === 0 ? "" : `  ${stderr.paint("faint", oneLine(JSON.stringify(given)))}`;
  return `${level.padEnd(7)}  ${oneLine(message)}${shown}\n`;
}

function usage(code: string, message: string, hint: string): CommandError {
  return new CommandError({ exitCode: EXIT.usage, code, message, hint });
}
