/** Chance that comes from a seed and a name alone: what one name throws never depends on what others threw. */
export interface Dice {
  /** From 0 up to but not including 1. */
  number(): number;
  chance(probability: number): boolean;
  /** A whole number, both ends included. */
  between(low: number, high: number): number;
  pick<T>(values: readonly T[]): T;
}

/** The dice of one name. */
export function diceOf(seed: number, name: string): Dice {
  let state = hash(seed, name);
  const number = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    number,
    chance: (probability) => number() < probability,
    between: (low, high) => low + Math.floor(number() * (high - low + 1)),
    pick(values) {
      const value = values[Math.floor(number() * values.length)];
      if (value === undefined) throw new Error("nothing to pick from");
      return value;
    },
  };
}

function hash(seed: number, name: string): number {
  let value = (0x811c9dc5 ^ seed) | 0;
  for (let at = 0; at < name.length; at += 1) value = Math.imul(value ^ name.charCodeAt(at), 0x01000193);
  value ^= value >>> 16;
  return Math.imul(value, 0x45d9f3b);
}
