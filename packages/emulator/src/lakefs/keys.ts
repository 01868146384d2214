const FIRST_SURROGATE = 0xd8_00;
const LAST_SURROGATE = 0xdf_ff;

/**
 * Order of two keys by their UTF-8 bytes, as lakeFS and SQLite order them; JavaScript's own `<` orders UTF-16 units.
 */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left === right) continue;
    const leftIsPair = left >= FIRST_SURROGATE && left <= LAST_SURROGATE;
    const rightIsPair = right >= FIRST_SURROGATE && right <= LAST_SURROGATE;
    // A surrogate stands for a code point above all that one unit can name.
    if (leftIsPair !== rightIsPair) return leftIsPair ? 1 : -1;
    return left - right;
  }
  return a.length - b.length;
}

/** A key after all keys that start with `prefix` (keys that hold the last code point of Unicode aside). */
export function afterPrefix(prefix: string): string {
  return `${prefix}\u{10FFFF}`;
}
