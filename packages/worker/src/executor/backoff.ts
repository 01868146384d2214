import { RESTART_BACKOFF_MS } from "./limits.ts";

/** Starts and crashes of one slot's executor since it last did its work (case S03, fault H4). */
export interface CrashRecord {
  readonly crashCount: number;
  /** The next start may be tried from here on, monotonic. */
  readonly notBeforeMs: number;
  /** What the first executor of the row died of: the cause, before later noise. */
  readonly firstError?: string;
}

/** An executor that has not crashed. */
export const NO_CRASHES: CrashRecord = { crashCount: 0, notBeforeMs: 0 };

/** Waits 1, 2, 4, 8, 16 and then always 30 s after the crashes of a row. */
export function afterCrash(record: CrashRecord, error: string, nowMs: number): CrashRecord {
  const delayMs = RESTART_BACKOFF_MS[Math.min(record.crashCount, RESTART_BACKOFF_MS.length - 1)] ?? 0;
  return {
    crashCount: record.crashCount + 1,
    notBeforeMs: nowMs + delayMs,
    firstError: record.firstError ?? error,
  };
}
