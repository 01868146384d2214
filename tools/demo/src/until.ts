import { setTimeout as pause } from "node:timers/promises";

/** Something of the demo did not come to pass; the message says what. */
export class DemoError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "DemoError";
  }
}

const LIMIT_MS = 30_000;
const LOOK_EVERY_MS = 40;

/** Looks until there is a value, 30 s at most. */
export async function until<T>(
  what: string,
  signal: AbortSignal,
  look: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const endMs = performance.now() + LIMIT_MS;
  while (performance.now() < endMs) {
    signal.throwIfAborted();
    const value = await look();
    if (value !== undefined) return value;
    await pause(LOOK_EVERY_MS);
  }
  throw new DemoError(`${what} did not come to pass within ${LIMIT_MS / 1000} s`);
}
