import { CATALOG } from "./catalog.ts";
import type { Dice } from "./dice.ts";
import type { Fault } from "./fault.ts";

/**
 * An endless deck of faults: one of each list of the catalogue, then the next of each, until every one has come. Then
 * it begins anew. A list that is shorter than the longest one comes again, but for kills of Conductor: it takes half a
 * minute to start.
 */
export function* dealFaults(dice: Dice): Generator<Fault, never> {
  for (;;) {
    const lists = Object.entries(CATALOG).map(([name, faults]) => ({ name, faults: dice.shuffle(faults) }));
    const roundCount = Math.max(...lists.map(({ faults }) => faults.length));
    for (let round = 0; round < roundCount; round += 1) {
      for (const { name, faults } of dice.shuffle(lists)) {
        const isSpent = name === "conductorKills" && round >= faults.length;
        const fault = faults[round % faults.length];
        if (!isSpent && fault !== undefined) yield fault;
      }
    }
  }
}
