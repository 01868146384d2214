/** Monotonic time and waiting. No decision compares it with another machine's clock. */
export interface Clock {
  /** Monotonic milliseconds since an arbitrary start. */
  nowMs(): number;
  /** Resolves after `delayMs`, or at once when the signal fires. */
  wait(delayMs: number, signal?: AbortSignal): Promise<void>;
}

/** Names that must be unique among all hosts (rule T1). */
export interface Ids {
  /** Lower-case letters and digits, 12 characters, unique for each execution. */
  executionId(): string;
}
