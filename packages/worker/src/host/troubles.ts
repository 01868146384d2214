import { ConductorError } from "../conductor/errors.ts";
import { FailureSummary, type FailureNote } from "../conductor/failure-summary.ts";
import type { Log } from "../telemetry/log.ts";

/** Counts what goes wrong with the engine and writes few lines about it (case A10). One for the whole host. */
export interface Troubles {
  /** `source` is what failed, such as one task's polling. */
  failed(source: string, error: unknown): void;
  /** The source works again; when all do, one line sums up. */
  worked(source: string): void;
}

/** Makes the record of failing servers. */
export function createTroubles(log: Log, nowMs: () => number): Troubles {
  const summary = new FailureSummary();
  const failing = new Set<string>();
  return {
    failed(source, error) {
      failing.add(source);
      const note = summary.failed(keyOf(error), nowMs());
      if (note !== undefined) log.warn(messageOf(error), { source, ...fieldsOf(error), ...countsOf(note) });
    },
    worked(source) {
      if (!failing.delete(source) || failing.size > 0) return;
      const note = summary.recovered(nowMs());
      if (note !== undefined) log.info("Conductor answers again", countsOf(note));
    },
  };
}

function keyOf(error: unknown): string {
  if (error instanceof ConductorError) return `${error.code} ${error.status ?? ""}`;
  return error instanceof Error ? `${error.name}: ${error.message}` : "unknown";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "something failed that is no error";
}

function fieldsOf(error: unknown): Record<string, unknown> {
  return error instanceof ConductorError ? { code: error.code, hint: error.hint } : { error };
}

function countsOf(note: FailureNote): Record<string, unknown> {
  return { count: note.count, total: note.total, sinceMs: Math.round(note.sinceMs) };
}
