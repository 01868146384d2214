import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { audit } from "../src/audit/audit.ts";
import { CATALOG } from "../src/plan/catalog.ts";
import { faultName, type Fault } from "../src/plan/fault.ts";
import { planEach } from "../src/plan/workload.ts";
import { reportLines } from "../src/report/table.ts";
import { runChaos } from "../src/run/chaos.ts";
import type { ChaosOptions } from "../src/run/options.ts";

// These runs end servers, so they have an instance of their own beside the one that other suites share.
const RUN_LIMIT_MS = 900_000;
const SEED = 20_261_130;

function fault(list: keyof typeof CATALOG, name: string): Fault {
  const faults: readonly Fault[] = CATALOG[list];
  const found = faults.find((each) => faultName(each) === name);
  if (found === undefined) throw new Error(`no fault ${name} in ${list}`);
  return found;
}

/** One kill of each kind, and one of everything else that strikes. */
const FAULTS = [
  fault("conductorKills", "case R13, fault E6: kill conductor after merge"),
  fault("hostKills", "fault A5: kill host after merge"),
  fault("hostKills", "fault A3: kill host after commitStaging"),
  fault("killsOnTheWire", "fault A4: kill host at the answer to merge before merge"),
  fault("killsOnTheWire", "fault A6: kill host at the answer to report before report"),
  fault("killsInBody", "fault H4: kill executor before run"),
  fault("killsInBody", "fault A8, case S06: kill host in body before run"),
  fault("lakefsKills", "fault E6, fault B2: kill lakefs before merge"),
  fault("stalls", "fault C1, case R01: stall until published before merge"),
  fault("mergeAnswers", "fault B1: drop answer merge before merge"),
  fault("mergeAnswers", "fault B4: repeat merge before merge"),
  fault("stagingAnswers", "fault B6: drop answer merge, drop request read_branch x6 before merge"),
  fault("stagingAnswers", "fault B8: drop answer commit_staging before commitStaging"),
  fault("reportAnswers", "fault B10: drop answer report before report"),
  fault("fullDisks", "fault G1: fill disk before run"),
  fault("foreignCommits", "fault D1: foreign commit inside the prefix after pinHead"),
  fault("redeliveries", "fault C5, case R02: redeliver before pinHead"),
  fault("terminations", "fault C10: terminate before recheckAttempt"),
  fault("partitions", "fault E6: cut off lakefs for 3000 ms after merge"),
  fault("drains", "fault H1: drain before merge"),
];

async function run(faults: readonly Fault[], changes: Partial<ChaosOptions>) {
  const folder = await mkdtemp(join(tmpdir(), "perago-chaos-test-"));
  const said: string[] = [];
  const result = await runChaos({
    seed: SEED,
    plan: planEach(SEED, faults).values(),
    attempts: Infinity,
    minutes: RUN_LIMIT_MS / 60_000,
    fence: "hard",
    hosts: 2,
    slots: 2,
    width: 6,
    quiet: 4,
    stackName: "chaos-test",
    keepsLogs: false,
    signal: AbortSignal.timeout(RUN_LIMIT_MS),
    say: (line) => void said.push(line),
    ...changes,
  });
  await rm(folder, { recursive: true, force: true });
  const violations = audit(result.history);
  const text = [...said, ...reportLines({ seed: SEED, ...result, violations })].join("\n");
  return { ...result, violations, text };
}

test(
  "case R01, case R02, case R13, case S06, case S07: hosts and servers struck at protocol steps; S1 to S14 hold",
  { timeout: RUN_LIMIT_MS },
  async () => {
    const { violations, tally, text } = await run(FAULTS, {});
    expect(violations, text).toEqual([]);
    // Each planned fault has really happened.
    const happened = [...tally.faults].filter((entry) => entry[1].happened > 0).map(([name]) => name);
    expect(happened.toSorted(), text).toEqual(FAULTS.map(faultName).toSorted());
    expect(tally.outages.map(({ server }) => server).toSorted(), text).toEqual(["conductor", "lakefs"]);
    // Two kills may meet in one process.
    expect(tally.hostEnds.get("SIGKILL"), text).toBeGreaterThanOrEqual(2);
  },
);

test("a host that skips the publish fence is caught: S3", { timeout: RUN_LIMIT_MS }, async () => {
  const foreign = fault("foreignCommits", "fault D1: foreign commit inside the prefix before run");
  const { violations, text } = await run([foreign], { breakage: "fence_skipped", quiet: 0, hosts: 1, slots: 1 });
  expect(
    violations.map(({ invariant }) => invariant),
    text,
  ).toContain("S3");
});
