/** What an error says; where the clean-up failed after it too, what came first. */
export function reasonOf(error: unknown): string {
  if (error instanceof SuppressedError) return reasonOf(error.suppressed);
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${reasonOf(error.cause)}`;
}
