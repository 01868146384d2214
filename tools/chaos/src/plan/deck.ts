import { CATALOG } from "./catalog.ts";
import type { Dice } from "./dice.ts";
import type { Fault } from "./fault.ts";

/** Conductor takes long to start: it is killed in the first of so many rounds only. */
const CONDUCTOR_EVERY = 4;

/**
 * An endless deck of faults: one of each list of the catalogue, then the next of each, until every one has come; then
 * it begins anew.
 */
export function* dealFaults(dice: Dice): Generator<Fault, never> {
  for (;;) {
    const lists = Object.entries(CATALOG).map(([name, faults]) => ({
      faults: dice.shuffle(faults),
      every: name === "conductorKills" ? CONDUCTOR_EVERY : 1,
    }));
    const roundCount = Math.max(...lists.map(({ faults, every }) => faults.length * every));
    for (let round = 0; round < roundCount; round += 1) {
      for (const { faults, every } of dice.shuffle(lists)) {
        const fault = round % every === 0 ? faults[round / every] : undefined;
        if (fault !== undefined) yield fault;
      }
    }
  }
}
