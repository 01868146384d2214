import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArguments, USAGE, type BenchArguments } from "./args.ts";
import { measureCurves } from "./curves/measure-curves.ts";
import { renderPage } from "./curves/page.ts";
import { describeMachine } from "./machine.ts";
import { chooseMeasurements, isOf, measurements } from "./measurements.ts";
import { measureAll } from "./measure-all.ts";
import { reasonOf } from "./reason-of.ts";
import { profileAttempts } from "./profile.ts";
import { openSession } from "./world/session.ts";
import { keepResults } from "./history-file.ts";
import { writeSection } from "./markdown.ts";
import { mergeRows, readResults, renderJson, writeResults } from "./results-file.ts";
import { machineLine, renderTable } from "./table.ts";

// Entry of `pnpm bench`: the only file here that prints, and that sets the exit code.
const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
const CURVES_FILE = join(import.meta.dirname, "../curves.html");
const HISTORY_FILE = join(import.meta.dirname, "../history.json");
const DOCUMENT = join(import.meta.dirname, "../../docs/performance.md");
const RESULTS_FILE = join(import.meta.dirname, "../results.json");

const say = (line: string): void => void process.stderr.write(`${line}\n`);
process.exitCode = await main();

async function main(): Promise<number> {
  let args: BenchArguments;
  try {
    args = parseArguments(process.argv.slice(2));
    chooseMeasurements(args.rows);
  } catch (error) {
    say(`${reasonOf(error)}\n${USAGE}`);
    return EXIT_USAGE;
  }
  try {
    if (args.curves) return await drawCurves(args);
    if (args.profile) return await profile(args);
    return await measureRows(args);
  } catch (error) {
    say(`the bench failed: ${reasonOf(error)}`);
    return EXIT_FAILED;
  }
}

async function drawCurves({ quick }: BenchArguments): Promise<number> {
  await using session = await openSession();
  const curves = await measureCurves({ session, quick, say });
  await writeFile(CURVES_FILE, renderPage(await describeMachine(), curves));
  say(`curves: ${CURVES_FILE}`);
  return 0;
}

async function profile({ quick }: BenchArguments): Promise<number> {
  await using session = await openSession();
  process.stdout.write(await profileAttempts({ session, quick, say }));
  return 0;
}

async function measureRows(args: BenchArguments): Promise<number> {
  const chosen = chooseMeasurements(args.rows);
  const machine = await describeMachine();
  const measured = await measureAll(chosen, { quick: args.quick, say });
  const rows = measured.filter(({ id }) => args.rows.length === 0 || args.rows.some((row) => isOf(id, row)));
  if (args.label !== undefined) {
    await keepResults(HISTORY_FILE, { label: args.label, machine, machineText: machineLine(machine), rows });
  }
  const specs = measurements.flatMap((measurement) => measurement.rows);
  if (args.keep || (args.rows.length === 0 && !args.quick)) {
    const kept = (await readResults(RESULTS_FILE))?.rows ?? [];
    const order = specs.map(({ id }) => id);
    const results = { machine, rows: mergeRows(kept, rows, order) };
    await writeResults(RESULTS_FILE, results);
    await writeSection(DOCUMENT, results, specs);
  }
  process.stdout.write(args.json ? renderJson({ machine, rows }) : `${renderTable(machine, rows, specs)}\n`);
  return rows.every(({ figure }) => figure !== null) ? 0 : EXIT_FAILED;
}
