/** How a row's figure is made of the two medians. */
export type Figure = "ratio" | "ours" | "difference";

/** What a row must reach. */
export interface Bound {
  readonly figure: Figure;
  readonly relation: "<=" | ">=";
  readonly value: number;
}

/** One line of the table, before it is measured. */
export interface RowSpec {
  /** As in the performance table, such as `B3`; a second figure of a row has a name after it: `B3/warm`. */
  readonly id: string;
  readonly work: string;
  readonly against: string;
  /** Of `ours` and `other`. */
  readonly unit: string;
  readonly bound: Bound;
  /** Decimals of `ours` and `other` in the table; default 2. */
  readonly decimals?: number;
}

/** What was measured for one line: one value a run each, in the order they were taken. */
export interface Samples {
  readonly ours: readonly number[];
  /** Empty where the row has no peer. */
  readonly other: readonly number[];
  /** What somebody must know who reads the figure: what was counted, or why a peer is missing. */
  readonly note?: string;
}

/** One line of the table as measured, and of `results.json`. */
export interface RowResult {
  readonly id: string;
  readonly work: string;
  readonly against: string;
  /** `ours / other` of the medians; null where there is no peer. */
  readonly ratio: number | null;
  readonly target: number;
  readonly relation: Bound["relation"];
  /** What is compared with the target: the ratio, `ours`, or the difference `ours - other`. */
  readonly compares: Figure;
  /** That figure; null where it could not be measured. */
  readonly figure: number | null;
  /** Medians. */
  readonly ours: number | null;
  readonly other: number | null;
  readonly unit: string;
  /** How many runs each median is of. */
  readonly runs: number;
  readonly met: boolean;
  readonly samples: Samples;
  /** Why the target is missed, or the row could not be measured, and what the limit is. */
  readonly reason?: string;
}

/** The value in the middle; of an even number of values the mean of both. NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Judges one line: pure. `reason` is what is known of a miss. */
export function judge(spec: RowSpec, samples: Samples, reason?: string): RowResult {
  const { id, work, against, unit, bound } = spec;
  const ours = finite(median(samples.ours));
  const other = finite(median(samples.other));
  const ratio = ours === null || other === null || other === 0 ? null : ours / other;
  const figure = figureOf(bound.figure, { ours, other, ratio });
  const met = figure !== null && (bound.relation === "<=" ? figure <= bound.value : figure >= bound.value);
  const told = met ? samples.note : [samples.note, reason].filter((text) => text !== undefined).join("; ");
  return {
    id,
    work,
    against,
    ratio,
    target: bound.value,
    relation: bound.relation,
    compares: bound.figure,
    figure,
    ours,
    other,
    unit,
    runs: samples.ours.length,
    met,
    samples,
    ...(told === undefined || told === "" ? {} : { reason: told }),
  };
}

function figureOf(
  figure: Figure,
  { ours, other, ratio }: { ours: number | null; other: number | null; ratio: number | null },
): number | null {
  if (figure === "ratio") return ratio;
  if (figure === "ours") return ours;
  return ours === null || other === null ? null : ours - other;
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
