import { conductorSettings, withConductor } from "../connect.ts";
import type { CommandContext } from "../context.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { extractTaskDefs } from "../extractable.ts";
import { differenceLines } from "../output/difference-lines.ts";
import { labelled, oneLine } from "../output/finding-lines.ts";
import { compareWithServer, type ComparedTask } from "../registered.ts";
import { isChanged, writeTaskDefs } from "../write-task-defs.ts";

/** Arguments of `perago register`. */
export interface RegisterArguments {
  readonly modules: readonly string[];
  readonly dryRun: boolean;
  readonly dotenv?: string;
  readonly json: boolean;
}

/**
 * Writes TaskDefs that are missing or differ, after showing the differences (case C13), and reads them back. Fields
 * that
 * the code does not own keep what operators gave them (case C05). All are read before the first is written.
 */
export async function register(context: CommandContext, args: RegisterArguments): Promise<ExitCode> {
  const taskDefs = await extractTaskDefs(context, args.modules);
  const conductor = conductorSettings(context, args.dotenv);
  return await withConductor(conductor, async (client) => {
    const compared = await compareWithServer(client, taskDefs);
    const changed = compared.filter(isChanged);
    if (!args.json) for (const task of compared) tell(context, task);
    if (!args.dryRun && changed.length > 0) await writeTaskDefs(client, changed);
    if (args.json) {
      const report = { dryRun: args.dryRun, tasks: compared.map(reportOf) };
      context.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    } else tellEnd(context, args.dryRun, changed);
    return EXIT.ok;
  });
}

function statusOf({ registered, differences }: ComparedTask): "new" | "changed" | "same" {
  if (registered === undefined) return "new";
  return differences.length > 0 ? "changed" : "same";
}

function reportOf(task: ComparedTask): object {
  return { name: task.name, status: statusOf(task), differences: task.differences };
}

/** Said before anything is written. */
function tell({ stdout }: CommandContext, task: ComparedTask): void {
  const words = { new: "not registered yet", changed: "differs from the code", same: "same" };
  const status = statusOf(task);
  const line = `${stdout.paint("name", oneLine(task.name))}  ${words[status]}`;
  stdout.write(labelled(stdout, status === "same" ? "ok" : "warning", line, differenceLines(stdout, task.differences)));
}

function tellEnd({ stdout }: CommandContext, dryRun: boolean, changed: readonly ComparedTask[]): void {
  if (changed.length === 0) return;
  const names = changed.map(({ name }) => oneLine(name)).join(", ");
  stdout.write(dryRun ? `would register ${names}\n` : labelled(stdout, "ok", `registered ${names}`));
}
