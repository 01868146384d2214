import { readFile, writeFile } from "node:fs/promises";
import { z } from "zod";
import type { Machine } from "./machine.ts";
import type { RowResult } from "./row.ts";

const figure = z.number().nullable();
const rowShape = z.object({
  id: z.string(),
  work: z.string(),
  against: z.string(),
  ratio: figure,
  target: z.number(),
  relation: z.enum(["<=", ">="]),
  compares: z.enum(["ratio", "ours", "difference"]),
  figure,
  ours: figure,
  other: figure,
  unit: z.string(),
  runs: z.number(),
  met: z.boolean(),
  samples: z.object({ ours: z.array(z.number()), other: z.array(z.number()), note: z.string().exactOptional() }),
  reason: z.string().exactOptional(),
});
const machineShape = z.object({
  cpu: z.string(),
  cpuCount: z.number(),
  memoryBytes: z.number(),
  system: z.string(),
  disk: z.string(),
  node: z.string(),
  lakefs: z.string(),
  measuredAt: z.string(),
});
const resultsShape = z.object({ machine: machineShape, rows: z.array(rowShape) });

/** What stands in `results.json`. */
export interface Results {
  readonly machine: Machine;
  readonly rows: readonly RowResult[];
}

/** Reads the file; none where there is no file. */
export async function readResults(file: string): Promise<Results | undefined> {
  try {
    return resultsShape.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** The kept rows with the newer ones in their places, in the order of the table. Pure. */
export function mergeRows(
  kept: readonly RowResult[],
  newer: readonly RowResult[],
  order: readonly string[],
): readonly RowResult[] {
  const byId = new Map([...kept, ...newer].map((row) => [row.id, row]));
  return order.flatMap((id) => byId.get(id) ?? []);
}

/** Writes the file, as it is printed too. */
export async function writeResults(file: string, results: Results): Promise<void> {
  await writeFile(file, renderJson(results));
}

/** Results as text. */
export function renderJson(results: Results): string {
  return `${JSON.stringify(results, null, 2)}\n`;
}
