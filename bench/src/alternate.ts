/** What is measured against what: each answers its own figure. */
export interface Pair {
  ours(run: number): Promise<number>;
  other(run: number): Promise<number>;
}

/**
 * Measures both by turns, so that a machine that grows slower or faster meets both alike. Who begins changes with each
 * run.
 */
export async function alternate(runCount: number, pair: Pair): Promise<{ ours: number[]; other: number[] }> {
  const ours: number[] = [];
  const other: number[] = [];
  for (let run = 0; run < runCount; run += 1) {
    if (run % 2 === 0) ours.push(await pair.ours(run));
    other.push(await pair.other(run));
    if (run % 2 === 1) ours.push(await pair.ours(run));
  }
  return { ours, other };
}
