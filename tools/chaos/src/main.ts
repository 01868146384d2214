import { randomInt } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArguments, USAGE, type Arguments } from "./args.ts";
import { audit } from "./audit/audit.ts";
import { planWorkflows } from "./plan/workload.ts";
import { reportLines } from "./report/table.ts";
import { runChaos } from "./run/chaos.ts";

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function main({ verbose, breakage, keep, seed: given, ...bounds }: Arguments): Promise<number> {
  const seed = given ?? randomInt(1_000_000_000);
  print(`seed ${seed}`);
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort(new Error("stopped by SIGINT")));
  process.once("SIGTERM", () => stop.abort(new Error("stopped by SIGTERM")));
  const say = (line: string): void => {
    if (!verbose && !line.startsWith("NOT TRIED")) return;
    process.stderr.write(`${(performance.now() / 1000).toFixed(1)} s: ${line}\n`);
  };
  if (keep !== undefined) await mkdir(keep, { recursive: true });
  const broken = breakage === undefined ? {} : { breakage };
  const { history, tally, durationMs } = await runChaos({
    ...bounds,
    ...broken,
    seed,
    plan: planWorkflows(seed),
    signal: stop.signal,
    say,
    keepsLogs: keep !== undefined,
  });
  if (keep !== undefined) await writeFile(join(keep, "history.json"), JSON.stringify(history, null, 1));
  const violations = audit(history);
  for (const line of reportLines({ seed, history, tally, violations, durationMs })) print(line);
  return violations.length === 0 ? 0 : 1;
}

try {
  const parsed = parseArguments(process.argv.slice(2));
  if (parsed === undefined) print(USAGE);
  else process.exitCode = await main(parsed);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
