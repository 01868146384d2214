/** Label names and values of a counter; keep the number of different values small. */
export type CounterLabels = Readonly<Record<string, string>>;

/** One counter as it stands. */
export interface CounterSample {
  readonly name: string;
  readonly labels: CounterLabels;
  readonly value: number;
}

/**
 * What the host counts: `merge_sent` (label `fence`: `hard` or `soft`, rule H2), `publish_race`, `soft_fence`,
 * `cleanup_failed`, `result_not_ours`, `result_dropped`, `log_lines_lost`, `branch_swept`, `branch_sweep_failed`.
 */
export interface Counters {
  /** Adds `by` (default 1) to the counter of this name and these labels. */
  increment(name: string, labels?: CounterLabels, by?: number): void;
  /** All counters, by name and labels. */
  snapshot(): readonly CounterSample[];
}

/** Different label sets kept in one registry; further ones are added up under `labels: {overflow: "true"}`. */
export const MAX_COUNTER_SERIES = 10_000;

/** An in-process registry; nothing leaves the process. */
export function createCounters(): Counters {
  const series = new Map<string, { name: string; labels: CounterLabels; value: number }>();
  const slot = (name: string, labels: CounterLabels): { value: number } => {
    const sorted = Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const key = JSON.stringify([name, sorted]);
    const known = series.get(key);
    if (known !== undefined) return known;
    if (series.size >= MAX_COUNTER_SERIES && labels["overflow"] === undefined) return slot(name, { overflow: "true" });
    const fresh = { name, labels: Object.fromEntries(sorted), value: 0 };
    series.set(key, fresh);
    return fresh;
  };
  return {
    increment: (name, labels = {}, by = 1) => {
      slot(name, labels).value += by;
    },
    snapshot: () => [...series.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sample]) => ({ ...sample })),
  };
}
