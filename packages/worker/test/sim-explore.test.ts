import { describe, expect, test } from "vitest";
import { explore } from "../sim/explore/explore.ts";
import { SMALL_SCOPES, SOFT_SCOPES } from "../sim/explore/scopes.ts";
import { createMachine, PHASES } from "../src/attempt/machine/step.ts";

const machine = createMachine(PHASES);
const timeoutMs = 300_000;

describe("rule S1, rule S2, rule S3, rule S4, rule S5, rule S6, rule S7: the production machine", () => {
  test.each(SMALL_SCOPES.map((scope) => [scope.name, scope] as const))(
    "rule S9, rule S10, rule S11, rule S12, rule S13, rule S14, model I1 to I10: all interleavings of: %s",
    (_, scope) => {
      const { violations, complete, raceCount } = explore({ scope, machine });
      expect({ violations, complete, raceCount }).toEqual({ violations: [], complete: true, raceCount: 0 });
    },
    timeoutMs,
  );

  test.each(SOFT_SCOPES.map((scope) => [scope.name, scope] as const))(
    "rule S1, rule C6, rule P10: with the soft fence the race is found, and told wherever it happens: %s",
    (_, scope) => {
      const { violations, complete, raceCount } = explore({ scope, machine });
      expect({ violations, complete }).toEqual({ violations: [], complete: true });
      expect(raceCount).toBeGreaterThan(0);
    },
    timeoutMs,
  );
});
