import { CATALOG } from "./catalog.ts";
import type { Dice } from "./dice.ts";
import type { Fault } from "./fault.ts";

/** Conductor takes long to start: it is killed once in so many rounds. */
const CONDUCTOR_EVERY = 10;

/**
 * An endless deck of faults: one of each list of the catalogue, then the next of each, until every one has come; then
 * it begins anew. Only kills of Conductor come more slowly.
 */
export function* dealFaults(dice: Dice): Generator<Fault, never> {
  const { conductorKills, ...others } = CATALOG;
  const slow = dice.shuffle(conductorKills);
  let roundsDealt = 0;
  for (;;) {
    const lists = Object.values(others).map((faults) => dice.shuffle(faults));
    const roundCount = Math.max(...lists.map(({ length }) => length));
    for (let round = 0; round < roundCount; round += 1, roundsDealt += 1) {
      const turn = roundsDealt / CONDUCTOR_EVERY;
      const kill = Number.isInteger(turn) ? slow[turn % slow.length] : undefined;
      for (const fault of dice.shuffle([kill, ...lists.map((faults) => faults[round])])) {
        if (fault !== undefined) yield fault;
      }
    }
  }
}
