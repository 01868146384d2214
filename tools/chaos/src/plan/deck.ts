import { CATALOG } from "./catalog.ts";
import type { Dice } from "./dice.ts";
import type { Fault } from "./fault.ts";

/**
 * An endless deck of faults: one of each list of the catalogue, then the next of each, until every one has come; then
 * it begins anew.
 */
export function* dealFaults(dice: Dice): Generator<Fault, never> {
  for (;;) {
    const lists = Object.values(CATALOG).map((faults) => dice.shuffle(faults));
    const roundCount = Math.max(...lists.map(({ length }) => length));
    for (let round = 0; round < roundCount; round += 1) {
      for (const faults of dice.shuffle(lists)) {
        const fault = faults[round];
        if (fault !== undefined) yield fault;
      }
    }
  }
}
