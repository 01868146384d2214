import { parseArgs } from "node:util";
import { explore, type Exploration } from "./explore/explore.ts";
import { SMALL_SCOPES, SOFT_SCOPES, WIDE_SCOPES } from "./explore/scopes.ts";
import { machineOf, MUTANTS } from "./mutants/catalog.ts";
import type { Mutant } from "./mutants/mutant.ts";
import { runCampaign, type Campaign } from "./random/campaign.ts";
import { runSeed, type RunOptions, type RunResult } from "./random/run.ts";
import { shrink } from "./random/shrink.ts";
import { createMachine, PHASES } from "../src/attempt/machine/step.ts";

const usage = `pnpm sim                       20,000 random runs from a seed that is printed
pnpm sim --seed S              one run, with everything that happened in it
pnpm sim --runs N [--from S]   N random runs, the first with seed S
pnpm sim --mutant NAME ...     the same with one rule switched off: it should fail
pnpm sim --explore small|wide  every interleaving of the small or the wide scopes
pnpm sim --mutants             every mutant in its scope
pnpm sim --locks               every second lock in all small scopes`;

const defaultRunCount = 20_000;
const seedCount = 1_000_000_000;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function buildOf(name: string | undefined): RunOptions {
  if (name === undefined) return {};
  const mutant = MUTANTS.find((candidate) => candidate.name === name);
  if (mutant === undefined) throw new Error(`no mutant ${name}; there are ${mutantNames()}`);
  return { machine: machineOf(mutant), wiring: mutant.wiring ?? {} };
}

function mutantNames(): string {
  return MUTANTS.map(({ name }) => name).join(", ");
}

function printRun({ scenario, log, violations, struck }: RunResult): void {
  const { seed, hardFence, stepCount, responseTimeoutSeconds } = scenario;
  const fence = hardFence ? "hard" : "soft";
  print(`seed ${seed}: ${fence} fence, ${stepCount} step(s), response timeout ${responseTimeoutSeconds} s`);
  for (const line of log) print(line);
  print(`${struck.length} trouble(s): ${struck.join("; ")}`);
  print(violations.length === 0 ? "nothing broke" : violations.join("\n"));
}

function printCampaign(campaign: Campaign, firstSeed: number, beganMs: number): void {
  const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
  const { runCount, executionCount, eventCount, troubleCount, raceCount, windowCount, rewoundCount } = campaign;
  print(`runs ${runCount} (seeds ${firstSeed} to ${firstSeed + runCount - 1}) in ${seconds} s`);
  print(`executions ${executionCount}, events ${eventCount}, troubles ${troubleCount}`);
  print(`races ${raceCount} (soft fence only, each of them told), runs in which the engine went back ${rewoundCount}`);
  print(`results that met another record than rule R8 had read ${windowCount}`);
  const codes = [...campaign.codes].toSorted(([, a], [, b]) => b - a).map(([code, count]) => `${code} ${count}`);
  print(`ends: ${codes.join(", ")}`);
  print(`violations ${campaign.failed.length}`);
}

async function random(runCount: number, firstSeed: number, build: RunOptions): Promise<number> {
  const beganMs = performance.now();
  print(`seed ${firstSeed}`);
  const campaign = await runCampaign({ ...build, firstSeed, runCount });
  printCampaign(campaign, firstSeed, beganMs);
  const [failed] = campaign.failed;
  if (failed === undefined) return 0;
  const { result, trialCount } = await shrink(failed, build);
  print(`\nshrunk from ${failed.struck.length} to ${result.struck.length} trouble(s) in ${trialCount} trials:`);
  printRun(result);
  return 1;
}

function printExploration(name: string, exploration: Exploration, seconds: string): void {
  const { stateCount, transitionCount, quietCount, raceCount, violations, complete } = exploration;
  const bound = complete ? "" : ", not complete";
  const counts = `states ${stateCount}, transitions ${transitionCount}, ends ${quietCount}, races ${raceCount}`;
  print(`${name}: ${counts}${bound}, ${seconds} s`);
  for (const { text, path } of violations) print(`  ${text}\n    ${path.join("\n    ")}`);
}

function exploreAll(which: string): number {
  const scopes = which === "wide" ? WIDE_SCOPES : [...SMALL_SCOPES, ...SOFT_SCOPES];
  const machine = createMachine(PHASES);
  const total = { states: 0, violations: 0 };
  for (const scope of scopes) {
    const beganMs = performance.now();
    const exploration = explore({ scope, machine });
    printExploration(scope.name, exploration, ((performance.now() - beganMs) / 1000).toFixed(1));
    total.states += exploration.stateCount;
    total.violations += exploration.violations.length;
  }
  print(`scopes ${scopes.length}, states ${total.states}, violations ${total.violations}`);
  return total.violations === 0 ? 0 : 1;
}

/** Whether the mutant did what the catalog says of it. */
function tryMutant(mutant: Mutant): boolean {
  const { name, rules, scope, wiring = {}, caught, coveredBy } = mutant;
  const until = caught === undefined ? {} : { until: caught };
  const { violations, stateCount } = explore({ scope, wiring, machine: machineOf(mutant), ...until });
  const found = violations.find(({ text }) => text.startsWith(`${caught}:`));
  const holds = caught === undefined ? violations.length === 0 : found !== undefined;
  const how = found === undefined ? `second lock, ${coveredBy}` : `caught in ${found.path.length} steps: ${found.text}`;
  print(
    `${holds ? "ok" : "NOT AS SAID"} ${name} (${rules}): ${holds ? how : violations[0]?.text}, ${stateCount} states`,
  );
  return holds;
}

/** A second lock must hold everywhere, not only in the scope that its test takes. */
function tryLock(mutant: Mutant): boolean {
  const { name, wiring = {} } = mutant;
  const machine = machineOf(mutant);
  let stateCount = 0;
  for (const scope of SMALL_SCOPES) {
    const { violations, stateCount: count } = explore({ scope, wiring, machine });
    stateCount += count;
    const [violation] = violations;
    if (violation === undefined) continue;
    print(`OPEN ${name} in "${scope.name}": ${violation.text}\n    ${violation.path.join("\n    ")}`);
    return false;
  }
  print(`ok ${name}: ${stateCount} states in ${SMALL_SCOPES.length} scopes, 0 violations`);
  return true;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seed: { type: "string" },
      runs: { type: "string" },
      from: { type: "string" },
      mutant: { type: "string" },
      explore: { type: "string" },
      mutants: { type: "boolean" },
      locks: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help === true) return (print(usage), 0);
  if (values.explore !== undefined) return exploreAll(values.explore);
  if (values.mutants === true) return MUTANTS.map(tryMutant).every(Boolean) ? 0 : 1;
  const locks = MUTANTS.filter(({ coveredBy }) => coveredBy !== undefined);
  if (values.locks === true) return locks.map(tryLock).every(Boolean) ? 0 : 1;
  const build = buildOf(values.mutant);
  if (values.seed === undefined) {
    const firstSeed = Number(values.from ?? Math.floor(Math.random() * seedCount));
    return await random(Number(values.runs ?? defaultRunCount), firstSeed, build);
  }
  const result = await runSeed(Number(values.seed), build);
  printRun(result);
  return result.violations.length === 0 ? 0 : 1;
}

process.exitCode = await main();
