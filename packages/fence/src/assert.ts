/** Ends the call when a caller of this package broke its contract: our own mistake, never the world's. */
export function assert(condition: boolean, claim: string): asserts condition {
  if (!condition) throw new TypeError(`fence: ${claim}`);
}
