import type { Extent, Measurement } from "./measurement.ts";
import { reasonOf } from "./reason-of.ts";
import { reasons } from "./reasons.ts";
import { judge, type RowResult, type Samples } from "./row.ts";
import { openSession } from "./world/session.ts";

const NOTHING: Samples = { ours: [], other: [] };

/** Measures one after the other, each in a session of its own. What cannot be measured is a result that says why. */
export async function measureAll(
  measurements: readonly Measurement[],
  { quick, say }: Extent & { readonly say: (line: string) => void },
): Promise<readonly RowResult[]> {
  const results: RowResult[] = [];
  for (const measurement of measurements) {
    const name = measurement.rows.map(({ id }) => id).join(", ");
    try {
      await using session = await openSession();
      const samples = await measurement.measure({ session, quick, say: (line) => say(`${name}: ${line}`) });
      results.push(...measurement.rows.map((row) => judge(row, samples[row.id] ?? NOTHING, reasons[row.id])));
    } catch (error) {
      const reason = `not measured: ${reasonOf(error)}`;
      say(`${name}: ${reason}`);
      results.push(...measurement.rows.map((row) => judge(row, NOTHING, reason)));
    }
  }
  return results;
}
