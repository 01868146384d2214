import { expect, it } from "vitest";
import { parseArgs } from "./args.ts";

const names = ["format", "lint", "unit"];

it("runs all steps in their order unless told otherwise", () => {
  expect(parseArgs([], names)).toMatchObject({ steps: names, writeRules: false });
  expect(parseArgs(["--only", "unit", "--only", "format"], names)).toMatchObject({ steps: ["format", "unit"] });
  expect(parseArgs(["--skip", "lint"], names)).toMatchObject({ steps: ["format", "unit"] });
});

it("refuses an unknown step and an unknown argument, with what is known", () => {
  expect(parseArgs(["--only", "linnt"], names)).toBe('--only: no step "linnt"; steps are format, lint, unit');
  expect(parseArgs(["--fast"], names)).toContain('unknown argument "--fast"');
  expect(parseArgs(["--only"], names)).toContain('no step ""');
  expect(parseArgs(["--wrap-comments"], names)).toBe("--wrap-comments needs files");
  expect(parseArgs(["--wrap-comments", "a.ts", "b.ts"], names)).toMatchObject({ wrap: ["a.ts", "b.ts"] });
  expect(parseArgs(["--promote"], names)).toBe("--promote goes with --write-rules");
});
