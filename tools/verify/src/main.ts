import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "./args.ts";
import { wrapComments } from "./limits/wrap.ts";
import { runSteps, type Step } from "./run-steps.ts";
import { docsStep } from "./steps/docs-step.ts";
import { layersStep } from "./steps/layers-step.ts";
import { limitsStep } from "./steps/limits-step.ts";
import { programs, programStep } from "./steps/programs.ts";
import { rulesStep, writeRules } from "./steps/rules-step.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

const steps: readonly Step[] = [
  programStep("format", programs.format, root),
  programStep("lint", programs.lint, root),
  programStep("types", programs.types, root),
  layersStep(root),
  limitsStep(root),
  rulesStep(root),
  docsStep(root),
  programStep("unit", programs.unit, root),
  programStep("build", programs.build, root),
];

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function main(argv: readonly string[]): Promise<number> {
  const stepNames = steps.map(({ name }) => name);
  const args = parseArgs(argv, stepNames);
  if (typeof args === "string") {
    process.stderr.write(`verify: ${args}\n`);
    return 2;
  }
  if (args.writeRules) {
    const written = writeRules(root, args.promote);
    print(written.length === 0 ? "unchanged" : `written: ${written.join(", ")}`);
    return 0;
  }
  if (args.wrap.length > 0) {
    for (const path of args.wrap) writeFileSync(path, wrapComments(readFileSync(path, "utf8")));
    return 0;
  }
  const chosen = steps.filter(({ name }) => args.steps.includes(name));
  return runSteps(chosen, { print, nowMs: () => performance.now() }, chosen.length === 1);
}

process.exitCode = await main(process.argv.slice(2));
