import type { Slot } from "./slots.ts";

/** The free slots of one task. */
export interface SlotPool {
  freeCount(): number;
  /** Puts a slot that can work into the pool, or hands it to who waits longest. */
  give(slot: Slot): void;
  /** Takes a slot, waiting where none is free; waiters are served in order. */
  take(): Promise<Slot>;
  /** Resolves when a slot is free, or when the signal fires. */
  whenFree(signal: AbortSignal): Promise<void>;
}

/** An empty pool: slots are given to it when they are ready. */
export function createSlotPool(): SlotPool {
  const free: Slot[] = [];
  const takers: ((slot: Slot) => void)[] = [];
  const watchers = new Set<() => void>();

  return {
    freeCount: () => free.length,
    give(slot) {
      const taker = takers.shift();
      if (taker !== undefined) {
        taker(slot);
        return;
      }
      free.push(slot);
      for (const watcher of watchers) watcher();
    },
    take() {
      const slot = free.shift();
      if (slot !== undefined) return Promise.resolve(slot);
      return new Promise((resolve) => takers.push(resolve));
    },
    whenFree(signal) {
      if (free.length > 0 || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const done = (): void => {
          watchers.delete(done);
          signal.removeEventListener("abort", done);
          resolve();
        };
        watchers.add(done);
        signal.addEventListener("abort", done, { once: true });
      });
    },
  };
}
