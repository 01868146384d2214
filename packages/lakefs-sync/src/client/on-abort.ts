/** What runs under each signal; a place that is free holds nothing. */
const running = new WeakMap<AbortSignal, ((() => void) | undefined)[]>();

/**
 * Calls `act` when the signal aborts, until what it returns is called. One listener serves all calls of a signal, with
 * as many places as ever ran at a time: listeners that were removed, and a `Set` that grew, keep what came after them,
 * so that each of a hundred thousand short calls stays in memory until a full collection.
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  const acts = running.get(signal) ?? listen(signal);
  const free = acts.indexOf(undefined);
  const place = free < 0 ? acts.length : free;
  acts[place] = act;
  return () => {
    if (acts[place] === act) acts[place] = undefined;
  };
}

function listen(signal: AbortSignal): ((() => void) | undefined)[] {
  const acts: ((() => void) | undefined)[] = [];
  const tellAll = (): void => {
    for (const act of acts) act?.();
  };
  signal.addEventListener("abort", tellAll, { once: true });
  running.set(signal, acts);
  return acts;
}
