import type { TaskDef } from "@perago/taskdef";
import { conductorSettings, withConductor } from "../connect.ts";
import type { CommandContext } from "../context.ts";
import { differences, type Difference } from "../differences.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { extractTaskDefs } from "../extractable.ts";
import { differenceLines } from "../output/difference-lines.ts";
import { labelled, oneLine } from "../output/finding-lines.ts";
import { shownPath } from "../read-modules.ts";
import { compareWithServer } from "../registered.ts";
import { formatTaskDefs, otherTaskDefs, placeOf, readTaskDefs, writeTaskDefs } from "../task-def-files.ts";

/** Arguments of `perago extract`. */
export interface ExtractArguments {
  readonly modules: readonly string[];
  /** `-o`: a file or a folder; stdout where neither it nor `check` is given. */
  readonly output?: string;
  /** `--check`: a file, a folder, or `server`. */
  readonly check?: string;
  readonly dotenv?: string;
  readonly json: boolean;
}

/** One task against what is stored of it. */
interface Comparison {
  readonly name: string;
  readonly status: "same" | "different" | "missing" | "not_in_modules";
  readonly differences: readonly Difference[];
}

/** Prints, writes or compares TaskDefs; refuses where a module has an error, and then writes nothing. */
export async function extract(context: CommandContext, args: ExtractArguments): Promise<ExitCode> {
  const taskDefs = await extractTaskDefs(context, args.modules);
  if (args.check === "server") return await compareServer(context, taskDefs, args);
  if (args.check !== undefined) return await compareFiles(context, taskDefs, args.check, args.json);
  if (args.output === undefined) {
    context.stdout.write(formatTaskDefs(taskDefs));
    return EXIT.ok;
  }
  const written = await writeTaskDefs(await placeOf(context.folder, args.output), taskDefs);
  const shown = written.map((file) => shownPath(context.folder, file));
  if (args.json) context.stdout.write(`${JSON.stringify({ written: shown }, null, 2)}\n`);
  else for (const file of shown) context.stderr.write(labelled(context.stderr, "ok", `wrote ${file}`));
  return EXIT.ok;
}

async function compareServer(
  context: CommandContext,
  taskDefs: readonly TaskDef[],
  { dotenv, json }: ExtractArguments,
): Promise<ExitCode> {
  const conductor = conductorSettings(context, dotenv);
  const compared = await withConductor(conductor, (client) => compareWithServer(client, taskDefs));
  const comparisons = compared.map(({ name, registered, differences }): Comparison => {
    const status = registered === undefined ? "missing" : differences.length > 0 ? "different" : "same";
    return { name, status, differences };
  });
  return tell(context, comparisons, json, { missing: "not registered", mend: "perago register <modules...>" });
}

async function compareFiles(
  context: CommandContext,
  taskDefs: readonly TaskDef[],
  given: string,
  json: boolean,
): Promise<ExitCode> {
  const place = await placeOf(context.folder, given);
  const names = taskDefs.map(({ name }) => name);
  const stored = await readTaskDefs(place, names);
  const comparisons = taskDefs.map((taskDef): Comparison => {
    if (!stored.has(taskDef.name)) return { name: taskDef.name, status: "missing", differences: [] };
    const found = differences(stored.get(taskDef.name), taskDef);
    return { name: taskDef.name, status: found.length > 0 ? "different" : "same", differences: found };
  });
  const others = [...stored.keys()].filter((name) => !names.includes(name));
  for (const name of others) comparisons.push({ name, status: "not_in_modules", differences: [] });
  for (const file of await otherTaskDefs(place, names)) {
    // Another extract may share the folder: not an error.
    context.stderr.write(labelled(context.stderr, "warning", `${file} in ${given} belongs to none of these tasks`));
  }
  return tell(context, comparisons, json, {
    missing: `not in ${given}`,
    mend: `perago extract <modules...> -o ${given}`,
  });
}

function tell(
  { stdout, stderr }: CommandContext,
  comparisons: readonly Comparison[],
  json: boolean,
  words: { readonly missing: string; readonly mend: string },
): ExitCode {
  const bad = comparisons.filter(({ status }) => status !== "same");
  if (json) stdout.write(`${JSON.stringify({ same: bad.length === 0, tasks: comparisons }, null, 2)}\n`);
  else {
    const text = { same: "same", different: "different", missing: words.missing, not_in_modules: "not in the modules" };
    for (const { name, status, differences } of comparisons) {
      const label = status === "same" ? "ok" : "error";
      const line = `${stdout.paint("name", oneLine(name))}  ${text[status]}`;
      stdout.write(labelled(stdout, label, line, differenceLines(stdout, differences)));
    }
    if (bad.length > 0) stderr.write(`-> ${words.mend}\n`);
  }
  return bad.length === 0 ? EXIT.ok : EXIT.bad;
}
