const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
] as const;

/** A duration in its largest whole unit, as settings are written: `8d`, `3h`, `0s`. */
export function shownAge(durationMs: number): string {
  const [unit, unitMs] = UNITS.find(([, each]) => durationMs >= each) ?? ["s", 1000];
  return `${Math.floor(durationMs / unitMs)}${unit}`;
}
