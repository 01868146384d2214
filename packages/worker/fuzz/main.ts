import { parseArgs } from "node:util";
import { dealCases, TARGETS } from "./targets/catalog.ts";

const usage = `pnpm fuzz [--cases N] [--seed S] [--only NAME]

--cases N    cases in all, dealt to the targets by their shares (default 1,000,000)
--seed S     the seed of the run; printed where it is not given. Same seed, same cases: it replays a failure
--only NAME  one target: all cases are its own`;

const defaultCaseCount = 1_000_000;
const seedCount = 2 ** 31 - 1;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function wholeNumber(text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  if (!/^\d{1,10}$/.test(text)) throw new Error(`${text} is no whole number\n\n${usage}`);
  return Number(text);
}

async function main(): Promise<number> {
  const options = {
    cases: { type: "string" },
    seed: { type: "string" },
    only: { type: "string" },
    help: { type: "boolean" },
  } as const;
  const { values } = parseArgs({ options });
  if (values.help === true) return (print(usage), 0);
  const seed = wholeNumber(values.seed, Math.floor(Math.random() * seedCount));
  const caseCount = wholeNumber(values.cases, defaultCaseCount);
  const targets = TARGETS.filter(({ name }) => values.only === undefined || name === values.only);
  if (targets.length === 0) throw new Error(`no target ${values.only}: ${TARGETS.map(({ name }) => name).join(", ")}`);
  print(`seed ${seed}`);
  const beganMs = performance.now();
  let total = 0;
  let failureCount = 0;
  for (const { target, caseCount: count } of dealCases(targets, caseCount)) {
    const startMs = performance.now();
    const result = await target.run({ caseCount: count, seed });
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
    total += result.caseCount;
    const slowest = `slowest ${result.slowestMs.toFixed(1)} ms`;
    print(
      `${target.name.padEnd(18)} ${String(result.caseCount).padStart(8)} cases ${seconds.padStart(6)} s  ${slowest}`,
    );
    if (result.failure === undefined) continue;
    failureCount += 1;
    print(`  BROKEN: ${target.claim}\n  ${result.failure.problem}\n  by ${result.failure.input}`);
    print(`  again: pnpm fuzz --only ${target.name} --seed ${seed} --cases ${count}`);
  }
  print(`${total} cases in ${((performance.now() - beganMs) / 1000).toFixed(0)} s, ${failureCount} targets broken`);
  return failureCount === 0 ? 0 : 1;
}

process.exitCode = await main();
