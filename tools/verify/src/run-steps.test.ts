import { expect, it } from "vitest";
import { runSteps, type Step } from "./run-steps.ts";

function step(name: string, ok: boolean, details = ""): Step {
  return { name, run: async () => ({ ok, details }) };
}

async function run(steps: Step[], verbose = false) {
  const lines: string[] = [];
  let now = 0;
  const exitCode = await runSteps(
    steps,
    { print: (line) => void lines.push(line), nowMs: () => (now += 500) },
    verbose,
  );
  return { lines, exitCode };
}

it("prints one line a step and exits 0 when all hold", async () => {
  expect(await run([step("format", true, "quiet"), step("lint", true)])).toEqual({
    exitCode: 0,
    lines: ["ok     format     0.5 s", "ok     lint       0.5 s"],
  });
});

it("goes on after a failure, shows all failures at the end and exits 1", async () => {
  const broken: Step = { name: "broken", run: () => Promise.reject(new Error("fell over")) };
  const { lines, exitCode } = await run([step("a", false, "first"), broken, step("c", true), step("d", false, "last")]);
  expect(exitCode).toBe(1);
  expect(lines.slice(0, 4).map((line) => line.slice(0, 8))).toEqual(["FAILED a", "FAILED b", "ok     c", "FAILED d"]);
  expect(lines.slice(4).join("\n")).toMatch(/--- a\nfirst\n\n--- broken\nError: fell over[^]*--- d\nlast/);
});

it("shows details of a step that holds when asked", async () => {
  expect((await run([step("rules", true, "gaps")], true)).lines.at(-1)).toBe("\n--- rules\ngaps");
});
