/**
 * Runs `work` over all items with at most `slotCount` at a time, fed from the iterator: a hundred thousand items make
 * no hundred thousand promises. The first failure ends the rest (through the signal it hands on) and is thrown after
 * all ended.
 */
export async function forEachBounded<T>(
  items: Iterable<T>,
  slotCount: number,
  signal: AbortSignal,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failed = new AbortController();
  const inner = AbortSignal.any([signal, failed.signal]);
  const iterator = items[Symbol.iterator]();
  let first: { readonly error: unknown } | undefined;
  const runSlot = async (): Promise<void> => {
    while (!inner.aborted) {
      const next = iterator.next();
      if (next.done === true) return;
      await work(next.value, inner);
    }
  };
  const slots = Array.from({ length: slotCount }, async () => {
    try {
      await runSlot();
    } catch (error) {
      first ??= { error };
      failed.abort();
    }
  });
  await Promise.all(slots);
  signal.throwIfAborted();
  if (first !== undefined) throw first.error;
}

/** Lets waiting messages and timers in; called between pieces of synchronous work. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
