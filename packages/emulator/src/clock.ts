/** A timer that can be stopped. */
export interface Timer {
  /** Stops it; nothing happens where it has fired already. */
  cancel(): void;
}

/** The time as the servers see it. */
export interface Clock {
  /** Milliseconds since 1970. */
  nowMs(): number;
  /** Calls `fire` once when `delayMs` have passed on this clock. */
  after(delayMs: number, fire: () => void): Timer;
}

/** A clock that runs with real time and can be moved on by tests. */
export interface ControlledClock extends Clock {
  /** Moves the time on by `ms` (not back) and fires, in their order, the timers that are due then. */
  advance(ms: number): void;
  /** Stops all timers. */
  close(): void;
}

interface Waiting {
  readonly dueMs: number;
  readonly fire: () => void;
  handle: NodeJS.Timeout | undefined;
}

const MAX_DELAY_MS = 2_147_483_647;

/** A controlled clock that starts at the real time. */
export function createClock(realNowMs: () => number = Date.now): ControlledClock {
  return new OffsetClock(realNowMs);
}

class OffsetClock implements ControlledClock {
  readonly #realNowMs: () => number;
  readonly #waiting = new Set<Waiting>();
  #offsetMs = 0;

  constructor(realNowMs: () => number) {
    this.#realNowMs = realNowMs;
  }

  nowMs(): number {
    return this.#realNowMs() + this.#offsetMs;
  }

  after(delayMs: number, fire: () => void): Timer {
    const entry: Waiting = { dueMs: this.nowMs() + Math.max(0, delayMs), fire, handle: undefined };
    this.#waiting.add(entry);
    this.#arm(entry);
    return { cancel: () => this.#drop(entry) };
  }

  advance(ms: number): void {
    if (!(ms >= 0)) throw new RangeError(`a clock moves forward only, not by ${ms} ms`);
    this.#offsetMs += ms;
    const nowMs = this.nowMs();
    for (const entry of [...this.#waiting].toSorted((a, b) => a.dueMs - b.dueMs)) {
      if (!this.#waiting.has(entry)) continue;
      if (entry.dueMs <= nowMs) this.#fire(entry);
      else this.#arm(entry);
    }
  }

  close(): void {
    for (const entry of this.#waiting) this.#drop(entry);
  }

  #arm(entry: Waiting): void {
    clearTimeout(entry.handle);
    const waitMs = Math.min(MAX_DELAY_MS, Math.max(0, entry.dueMs - this.nowMs()));
    entry.handle = setTimeout(() => {
      if (entry.dueMs > this.nowMs()) this.#arm(entry);
      else this.#fire(entry);
    }, waitMs);
  }

  #fire(entry: Waiting): void {
    this.#drop(entry);
    entry.fire();
  }

  #drop(entry: Waiting): void {
    clearTimeout(entry.handle);
    this.#waiting.delete(entry);
  }
}
