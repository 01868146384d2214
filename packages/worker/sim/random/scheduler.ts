import { setImmediate as nextTurn } from "node:timers/promises";

interface Entry {
  readonly atMs: number;
  readonly order: number;
  readonly act: () => void;
}

const maxEventCount = 100_000;

/** Virtual time: what is due next happens next, and all that it sets off comes to rest before the one after. */
export class Scheduler {
  nowMs = 0;
  eventCount = 0;
  readonly #queue: Entry[] = [];
  #order = 0;

  /** Something happens after a delay. */
  after(delayMs: number, act: () => void): void {
    const entry = { atMs: this.nowMs + Math.max(0, delayMs), order: this.#order++, act };
    let place = this.#queue.length;
    while (place > 0 && isBefore(entry, this.#queue[place - 1])) place -= 1;
    this.#queue.splice(place, 0, entry);
  }

  /** A wait in virtual time. */
  wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, resolve));
  }

  /** Runs until nothing is due any more; false where the bound of events ended it. */
  async run(): Promise<boolean> {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      if (this.eventCount >= maxEventCount) return false;
      this.eventCount += 1;
      this.nowMs = next.atMs;
      next.act();
      await nextTurn();
    }
    return true;
  }
}

function isBefore(entry: Entry, other: Entry | undefined): boolean {
  if (other === undefined) return false;
  return entry.atMs < other.atMs || (entry.atMs === other.atMs && entry.order < other.order);
}
