/** Chance that repeats: the same seed and name give the same throws. */
export interface Dice {
  /** A whole number in [0, sides). */
  below(sides: number): number;
  /** True in `percent` of 100 throws. */
  chance(percent: number): boolean;
  pick<T>(from: readonly T[]): T;
  shuffle<T>(cards: readonly T[]): T[];
}

/** Dice of their own for each name, so that one more throw in one place changes nothing in another. */
export function createDice(seed: number, name: string): Dice {
  let state = seed >>> 0;
  for (const letter of name) state = mix(state ^ (letter.codePointAt(0) ?? 0));
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    return mix(state) / 2 ** 32;
  };
  const below = (sides: number): number => Math.floor(next() * sides);
  return {
    below,
    chance: (percent) => next() * 100 < percent,
    pick<T>(from: readonly T[]): T {
      const picked = from[below(from.length)];
      if (picked === undefined) throw new Error("nothing to pick from");
      return picked;
    },
    shuffle: (cards) =>
      cards
        .map((card) => ({ card, order: next() }))
        .toSorted((a, b) => a.order - b.order)
        .map(({ card }) => card),
  };
}

/** The last steps of the 32-bit finaliser of MurmurHash3: every bit of the input reaches every bit of the output. */
function mix(input: number): number {
  let value = Math.imul(input ^ (input >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
