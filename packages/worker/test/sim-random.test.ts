import { describe, expect, test } from "vitest";
import { machineOf, MUTANTS } from "../sim/mutants/catalog.ts";
import { runCampaign } from "../sim/random/campaign.ts";
import { runSeed } from "../sim/random/run.ts";
import { nameOf, shrink } from "../sim/random/shrink.ts";

const runCount = 20_000;
/** On a busy machine fewer runs are made rather than waiting: the test says how many. */
const limitMs = 45_000;
const timeoutMs = 300_000;

describe("the production driver over ports in memory, at random", () => {
  test(
    "rule S1 to S14: nothing breaks in 20,000 runs, or in as many as 45 s allow",
    async ({ annotate }) => {
      const campaign = await runCampaign({ firstSeed: 1, runCount, limitMs });
      await annotate(`${campaign.runCount} of ${runCount} runs, ${campaign.executionCount} executions`);
      expect(campaign.failed.map(({ scenario, violations }) => ({ seed: scenario.seed, violations }))).toEqual([]);
      expect(campaign.runCount).toBeGreaterThan(500);
      // The soft fence's race happens, and each is told: S1 holds above.
      expect(campaign.raceCount).toBeGreaterThan(0);
      // Rule X3: sweeps took branches in the middle of it.
      expect(campaign.sweptCount).toBeGreaterThan(0);
    },
    timeoutMs,
  );

  test("the same seed gives the same run", async () => {
    const [once, again] = [await runSeed(1478), await runSeed(1478)];
    expect(once.log.length).toBeGreaterThan(10);
    expect(again).toEqual(once);
  });

  const broken = ["fence_skipped", "wrong_base", "merged_by_name", "own_delivery_superseded", "unknown_is_failure"];
  test.each(broken)(
    "rule S8: mutant %s is caught at random too, and its run is shrunk",
    async (name) => {
      const mutant = MUTANTS.find((candidate) => candidate.name === name);
      if (mutant === undefined) throw new Error(`no mutant ${name}`);
      const build = { machine: machineOf(mutant), wiring: mutant.wiring ?? {} };
      const { failed } = await runCampaign({ ...build, firstSeed: 1, runCount: 3000 });
      const [first] = failed;
      if (first === undefined) throw new Error(`${name} was not caught`);
      const { result } = await shrink(first, build);
      expect(nameOf(result)).toBe(nameOf(first));
      expect(result.struck.length).toBeLessThanOrEqual(first.struck.length);
    },
    timeoutMs,
  );
});
