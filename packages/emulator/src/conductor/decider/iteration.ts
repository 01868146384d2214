/** The reference name of a task in a loop: `x` in the second turn is `x__2`. */
export function withIteration(referenceName: string, iteration: number): string {
  return `${referenceName}__${iteration}`;
}

/** The reference name as the definition has it. */
export function withoutIteration(referenceName: string): string {
  const at = referenceName.lastIndexOf("__");
  return at < 0 ? referenceName : referenceName.slice(0, at);
}
