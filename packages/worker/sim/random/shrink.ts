import { runSeed, type RunOptions, type RunResult } from "./run.ts";

const maxTrialCount = 400;

/** A failing run with as few troubles as still break the same invariant. */
export interface Shrunk {
  readonly result: RunResult;
  readonly trialCount: number;
}

/** Leaves out one trouble after the other, for as long as the same invariant still breaks. */
export async function shrink(failing: RunResult, options: RunOptions = {}): Promise<Shrunk> {
  const name = nameOf(failing);
  let smallest = failing;
  let trialCount = 0;
  for (let isSmaller = true; isSmaller && trialCount < maxTrialCount;) {
    isSmaller = false;
    for (const trouble of smallest.struck) {
      if (trialCount >= maxTrialCount) break;
      trialCount += 1;
      const only = new Set(smallest.struck.filter((other) => other !== trouble));
      const result = await runSeed(failing.scenario.seed, { ...options, only });
      if (nameOf(result) !== name || result.struck.length >= smallest.struck.length) continue;
      smallest = result;
      isSmaller = true;
      break;
    }
  }
  return { result: smallest, trialCount };
}

/** `S9` of `S9: ...`; nothing where nothing broke. */
export function nameOf({ violations }: RunResult): string | undefined {
  return violations[0]?.split(":")[0];
}
