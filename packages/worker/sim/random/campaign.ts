import { runSeed, type RunOptions, type RunResult } from "./run.ts";

/** What many random runs came to. */
export interface Campaign {
  readonly runCount: number;
  readonly executionCount: number;
  readonly eventCount: number;
  readonly troubleCount: number;
  /** How executions ended, by code. */
  readonly codes: ReadonlyMap<string, number>;
  /** Publications upon an unexpected head: with the soft fence only, each of them told. */
  readonly raceCount: number;
  /** Branches that sweeps took while executions ran. */
  readonly sweptCount: number;
  /** Results that met another record of the task than rule R8 had read: nobody can close that window. */
  readonly windowCount: number;
  /** Runs in which the engine wrote an older record over a newer one. */
  readonly rewoundCount: number;
  readonly failed: readonly RunResult[];
}

/** Which runs a campaign makes. */
export interface CampaignOptions extends RunOptions {
  readonly firstSeed: number;
  readonly runCount: number;
  /** No new run is begun after it; default none. */
  readonly limitMs?: number;
  /** Ends with the first failing run; default true. */
  readonly stopAtFirst?: boolean;
}

/** Runs one seed after the other. */
export async function runCampaign(options: CampaignOptions): Promise<Campaign> {
  const { firstSeed, runCount, limitMs = Infinity, stopAtFirst = true } = options;
  const codes = new Map<string, number>();
  const total = {
    runCount: 0,
    executionCount: 0,
    eventCount: 0,
    troubleCount: 0,
    raceCount: 0,
    sweptCount: 0,
    windowCount: 0,
  };
  const failed: RunResult[] = [];
  let rewoundCount = 0;
  const beganMs = performance.now();
  for (let seed = firstSeed; seed < firstSeed + runCount; seed += 1) {
    if (performance.now() - beganMs > limitMs) break;
    const result = await runSeed(seed, options);
    total.runCount += 1;
    total.executionCount += result.executionCount;
    total.eventCount += result.eventCount;
    total.troubleCount += result.struck.length;
    total.raceCount += result.raceCount;
    total.sweptCount += result.sweptCount;
    total.windowCount += result.windowCount;
    rewoundCount += result.rewound ? 1 : 0;
    for (const code of result.codes) codes.set(code, (codes.get(code) ?? 0) + 1);
    if (result.violations.length === 0) continue;
    failed.push(result);
    if (stopAtFirst) break;
  }
  return { ...total, codes, rewoundCount, failed };
}
