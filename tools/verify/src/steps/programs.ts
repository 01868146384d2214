import { runChild } from "../child.ts";
import type { Step } from "../run-steps.ts";

/** A step that runs a program of the workspace at `root`; it holds when the program exits 0. */
export function programStep(name: string, command: readonly string[], root: string, toolRoot: string = root): Step {
  return {
    name,
    run: async () => {
      const { exitCode, output } = await runChild(command, root, toolRoot);
      return exitCode === 0 ? { ok: true, details: "" } : { ok: false, details: `$ ${command.join(" ")}\n${output}` };
    },
  };
}

/** Arguments of each program that the gate runs. Warnings fail too: a warning that nobody must mend is noise. */
export const programs = {
  format: ["oxfmt", "--check", "."],
  lint: ["oxlint", "--type-aware", "--deny-warnings", "--report-unused-disable-directives"],
  types: ["turbo", "run", "typecheck", "--output-logs=errors-only"],
  unit: ["vitest", "run", "--project", "unit", "--reporter=dot"],
  build: ["turbo", "run", "build", "--output-logs=errors-only"],
} as const;
