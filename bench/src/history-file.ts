import { readFile, writeFile } from "node:fs/promises";
import { z } from "zod";
import type { Machine } from "./machine.ts";
import type { RowResult } from "./row.ts";

const rowShape = z.object({
  id: z.string(),
  figure: z.number().nullable(),
  ratio: z.number().nullable(),
  ours: z.number().nullable(),
  other: z.number().nullable(),
  unit: z.string(),
  runs: z.number(),
  met: z.boolean(),
});
const historyShape = z.array(
  z.object({ label: z.string(), measuredAt: z.string(), machine: z.string(), rows: z.array(rowShape) }),
);

/** Results that were kept, oldest first: a figure before and after a change, on the same machine. */
export type BenchHistory = z.infer<typeof historyShape>;

/** The history with these results at its end; results of the same label are replaced. Pure. */
export function withResults(history: BenchHistory, { label, machine, machineText, rows }: HistoryEntry): BenchHistory {
  const kept = rows.map(({ id, figure, ratio, ours, other, unit, runs, met }) => {
    return { id, figure, ratio, ours, other, unit, runs, met };
  });
  const others = history.filter((entry) => entry.label !== label);
  return [...others, { label, measuredAt: machine.measuredAt, machine: machineText, rows: kept }];
}

/** What is kept of one run of the bench. */
export interface HistoryEntry {
  readonly label: string;
  readonly machine: Machine;
  readonly machineText: string;
  readonly rows: readonly RowResult[];
}

/** Adds results to the file. */
export async function keepResults(file: string, entry: HistoryEntry): Promise<void> {
  const history = historyShape.parse(JSON.parse(await readFile(file, "utf8")));
  await writeFile(file, `${JSON.stringify(withResults(history, entry), null, 2)}\n`);
}
