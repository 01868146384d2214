import { describe, expect, test } from "vitest";
import { explore } from "../sim/explore/explore.ts";
import { KNOWN_RACE } from "../sim/explore/scopes.ts";
import { machineOf, MUTANTS } from "../sim/mutants/catalog.ts";
import type { Mutant } from "../sim/mutants/mutant.ts";
import { createMachine, PHASES } from "../src/attempt/machine/step.ts";

const timeoutMs = 300_000;
const named = (mutants: readonly Mutant[]): [string, Mutant][] =>
  mutants.map((mutant) => [`${mutant.name} (${mutant.rules} off: ${mutant.what})`, mutant]);

describe("every rule of the machine counts", () => {
  test.each(named(MUTANTS.filter(({ caught }) => caught !== undefined)))(
    "rule S8: mutant %s is caught, by the shortest way there is",
    (_, mutant) => {
      const { scope, wiring = {}, caught = "" } = mutant;
      const { violations } = explore({ scope, wiring, machine: machineOf(mutant), until: caught });
      const violation = violations.find(({ text }) => text.startsWith(`${caught}:`));
      expect(violation, `${caught} is broken`).toBeDefined();
      expect([...(violation?.path ?? []), violation?.text]).toMatchSnapshot();
    },
    timeoutMs,
  );

  test.each(named(MUTANTS.filter(({ coveredBy }) => coveredBy !== undefined)))(
    "rule S8: mutant %s is a second lock: nothing breaks in its whole scope",
    (_, mutant) => {
      const { scope, wiring = {} } = mutant;
      const { violations, complete } = explore({ scope, wiring, machine: machineOf(mutant), drainEvery: 500 });
      expect({ violations, complete }).toEqual({ violations: [], complete: true });
    },
    timeoutMs,
  );
});

test("fault C2, rule S1: asked of the soft fence, the invariants of the hard one are broken by the known race", () => {
  const { violations } = explore({ scope: KNOWN_RACE, machine: createMachine(PHASES), until: "S1" });
  expect(violations.find(({ text }) => text.startsWith("S1:"))?.path).toEqual([
    "hand out t1 to 0",
    "0: fenceEarly",
    "0: openStaging",
    "0: checkAttempt",
    "0: fenceBase",
    "0: createStaging",
    "0: pinHead",
    "0: recheckAttempt",
    "a foreign commit",
    "0: merge",
  ]);
});
