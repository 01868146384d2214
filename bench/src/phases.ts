import { median } from "./row.ts";
import type { LogLine } from "./world/host.ts";

/** How long one phase of an attempt took, over the attempts of a log. */
export interface PhaseTime {
  readonly phase: string;
  readonly medianMs: number;
  readonly maxMs: number;
  readonly attemptCount: number;
}

/**
 * Time by phase, in the order in which an attempt meets them, from the debug lines of a host's log. `executions` names
 * the attempts that count; default all.
 */
export function phaseTimes(lines: readonly LogLine[], executions?: ReadonlySet<string>): readonly PhaseTime[] {
  const times = new Map<string, Map<string, number>>();
  for (const { msg, phase, durationMs, executionId } of lines) {
    if (msg !== "phase" || typeof phase !== "string" || typeof durationMs !== "number") continue;
    if (typeof executionId !== "string" || executions?.has(executionId) === false) continue;
    const ofPhase = times.get(phase) ?? new Map<string, number>();
    times.set(phase, ofPhase.set(executionId, (ofPhase.get(executionId) ?? 0) + durationMs));
  }
  return [...times].map(([phase, byExecution]) => {
    const all = [...byExecution.values()];
    return { phase, medianMs: median(all), maxMs: Math.max(...all), attemptCount: all.length };
  });
}

/** Execution ids in the order of their attempts. */
export function executionsOf(lines: readonly LogLine[]): readonly string[] {
  const ids = lines.flatMap(({ msg, executionId }) =>
    msg === "attempt started" && typeof executionId === "string" ? [executionId] : [],
  );
  return [...new Set(ids)];
}

/** As text, one line a phase. */
export function renderPhases(times: readonly PhaseTime[]): string {
  const total = times.reduce((sum, { medianMs }) => sum + medianMs, 0);
  const lines = times.map(({ phase, medianMs, maxMs }) => {
    const share = `${((100 * medianMs) / total).toFixed(0)} %`.padStart(5);
    return `${phase.padEnd(16)}${medianMs.toFixed(1).padStart(9)} ms ${share}   max ${maxMs.toFixed(1)}`;
  });
  return [...lines, `${"sum".padEnd(16)}${total.toFixed(1).padStart(9)} ms`].join("\n");
}
