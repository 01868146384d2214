/** Between two summaries of one failure, milliseconds. */
export const SUMMARY_INTERVAL_MS = 60_000;
/** Different failures that are kept apart; more share the last place. */
const MAX_KEYS = 100;
const OTHERS = "other failures";

interface Entry {
  /** Not yet told. */
  untold: number;
  total: number;
  firstAtMs: number;
  toldAtMs: number;
}

/** What to write about a failure now. */
export interface FailureNote {
  /** How often it happened since the note before, this time included. */
  readonly count: number;
  /** How often since it began. */
  readonly total: number;
  /** How long it has been going on. */
  readonly sinceMs: number;
}

/**
 * Counts equal failures and says when one is worth a line (case A10): the first at once, then one summary a minute,
 * and one at the end. No clock inside.
 */
export class FailureSummary {
  readonly #entries = new Map<string, Entry>();

  /** Records a failure; answers what to log, or undefined for silence. */
  failed(key: string, nowMs: number): FailureNote | undefined {
    const place = this.#entries.has(key) || this.#entries.size < MAX_KEYS ? key : OTHERS;
    const entry = this.#entries.get(place);
    if (entry === undefined) {
      this.#entries.set(place, { untold: 0, total: 1, firstAtMs: nowMs, toldAtMs: nowMs });
      return { count: 1, total: 1, sinceMs: 0 };
    }
    entry.untold += 1;
    entry.total += 1;
    if (nowMs - entry.toldAtMs < SUMMARY_INTERVAL_MS) return undefined;
    const note = { count: entry.untold, total: entry.total, sinceMs: nowMs - entry.firstAtMs };
    entry.untold = 0;
    entry.toldAtMs = nowMs;
    return note;
  }

  /** Everything works again: answers the sum of what failed, or undefined where nothing did. */
  recovered(nowMs: number): FailureNote | undefined {
    let count = 0;
    let total = 0;
    let firstAtMs = nowMs;
    for (const entry of this.#entries.values()) {
      count += entry.untold;
      total += entry.total;
      firstAtMs = Math.min(firstAtMs, entry.firstAtMs);
    }
    this.#entries.clear();
    return total === 0 ? undefined : { count, total, sinceMs: nowMs - firstAtMs };
  }
}
