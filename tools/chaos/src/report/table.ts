import { cpus, release, totalmem } from "node:os";
import type { Execution, History } from "../audit/history.ts";
import { codeOf, type Violation } from "../audit/index-of.ts";
import type { TallyRead } from "./tally.ts";

/** Everything that a run prints at its end. */
export interface Report {
  readonly seed: number;
  readonly history: History;
  readonly tally: TallyRead;
  readonly violations: readonly Violation[];
  readonly durationMs: number;
}

/** The lines of the report. */
export function reportLines({ seed, history, tally, violations, durationMs }: Report): string[] {
  const { executions, workflows, targets } = history;
  const commitCount = targets.reduce((sum, { commits }) => sum + commits.length - 1, 0);
  const minutes = (durationMs / 60_000).toFixed(1);
  return [
    `seed ${seed}, ${history.fence} fence, ${minutes} min on ${machine()}`,
    `attempts ${deliveryCount(executions)}, executions ${executions.length}, workflows ${workflows.length}`,
    `commits on targets ${commitCount}`,
    "",
    "struck, by kind and step",
    ...[...tally.byStep].toSorted(byName).map(([kind, steps]) => `  ${kind}: ${counts(steps)}`),
    "",
    `outages: ${outages(tally)}`,
    `host processes ended: ${counts(tally.hostEnds)}`,
    `planned faults that came to nothing: ${missed(tally)}`,
    "",
    "how executions ended",
    ...list(outcomes(executions)),
    "how tasks ended at the engine",
    ...list(tallyOf(workflows.flatMap(({ tasks }) => tasks.map(({ status }) => status)))),
    `quiet runs again: ${history.quiet.length}`,
    "",
    `violations ${violations.length}`,
    ...violations.map(({ invariant, what, where }) => `  ${invariant}: ${where}: ${what}`),
  ];
}

/** How an execution ended, in one word: the code it reported, or why it reported nothing. */
export function outcomeOf({ reports, end }: Execution): string {
  const last = reports.at(-1);
  if (last === undefined) return end === "died" ? "host died before a report" : "nothing reported";
  return last.status === "COMPLETED" ? "COMPLETED" : codeOf(last.reason);
}

/** Counts by outcome, the most frequent first. */
export function outcomes(executions: readonly Execution[]): ReadonlyMap<string, number> {
  return tallyOf(executions.map(outcomeOf));
}

function deliveryCount(executions: readonly Execution[]): number {
  return new Set(executions.map(({ name }) => `${name.taskId} ${name.scheduledTime}`)).size;
}

function tallyOf(words: readonly string[]): ReadonlyMap<string, number> {
  const counted = new Map<string, number>();
  for (const word of words) counted.set(word, (counted.get(word) ?? 0) + 1);
  return new Map([...counted].toSorted(([, a], [, b]) => b - a));
}

function counts(counted: ReadonlyMap<string, number>): string {
  return [...counted].map(([word, count]) => `${word} ${count}`).join(", ") || "none";
}

function list(counted: ReadonlyMap<string, number>): string[] {
  return [...counted].map(([word, count]) => `  ${word}: ${count}`);
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function outages({ outages: all }: TallyRead): string {
  const of = (server: string): string => {
    const lasted = all.filter((each) => each.server === server).map(({ lastedMs }) => lastedMs);
    return `${server} ${lasted.length} (longest ${(Math.max(0, ...lasted) / 1000).toFixed(1)} s)`;
  };
  return `${of("lakefs")}, ${of("conductor")}`;
}

function missed({ faults }: TallyRead): string {
  const names = [...faults].filter(([, { struck, happened }]) => happened < struck);
  return (
    names.map(([name, { struck, happened }]) => `${name} (${struck - happened} of ${struck})`).join("; ") || "none"
  );
}

function machine(): string {
  const all = cpus();
  const memory = Math.round(totalmem() / 1024 ** 3);
  return `${all.length} x ${all[0]?.model.trim() ?? "?"}, ${memory} GiB, Linux ${release()}, Node ${process.version}`;
}
