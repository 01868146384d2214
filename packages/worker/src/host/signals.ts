/** What an attempt is told from outside while it runs. */
export interface AttemptSignal {
  readonly kind: "attempt_lost" | "shutdown";
  readonly reason: string;
}

/** Is told each signal once. */
export type AttemptListener = (signal: AttemptSignal) => void;

/** Hands signals to whoever listens; what was told before somebody listens is told when they begin. */
export interface AttemptSignals {
  tell(signal: AttemptSignal): void;
  /** Answers how to unsubscribe. */
  subscribe(listener: AttemptListener): () => void;
}

/** Makes the signals of one attempt. */
export function createAttemptSignals(): AttemptSignals {
  const told: AttemptSignal[] = [];
  const listeners = new Set<AttemptListener>();
  return {
    tell(signal) {
      // One of a kind: the first reason stands.
      if (told.some((earlier) => earlier.kind === signal.kind)) return;
      told.push(signal);
      for (const listener of listeners) listener(signal);
    },
    subscribe(listener) {
      listeners.add(listener);
      for (const signal of told) listener(signal);
      return () => listeners.delete(listener);
    },
  };
}
