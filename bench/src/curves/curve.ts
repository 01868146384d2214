/** One line of a plot. */
export interface Series {
  readonly name: string;
  /** In order of x; both above 0. */
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** How something grows: one plot, both axes logarithmic. */
export interface Curve {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly series: readonly Series[];
}

/** The powers of ten that hold all values, as exponents: at least one decade. */
export function decades(values: readonly number[]): readonly [low: number, high: number] {
  const exponents = values.filter((value) => value > 0).map(Math.log10);
  if (exponents.length === 0) return [0, 1];
  const low = Math.floor(Math.min(...exponents));
  return [low, Math.max(low + 1, Math.ceil(Math.max(...exponents)))];
}

/** Where a value lies between two decades, from 0 to 1. */
export function position(value: number, [low, high]: readonly [number, number]): number {
  return (Math.log10(value) - low) / (high - low);
}
