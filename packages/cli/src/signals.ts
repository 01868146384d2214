/** The signals that end a host. */
export type StopSignal = "SIGINT" | "SIGTERM";

/** Where a command that outlives its first signal takes signals from; the listeners on the process are the entry's. */
export interface Signals {
  /** From now on the listener is told of each signal; before, a signal ends the process at once. */
  handle(listener: (signal: StopSignal) => void): void;
}

/** 130 or 143: what a shell shows for a process that the signal ended. */
export function signalExitCode(signal: StopSignal): number {
  return signal === "SIGINT" ? 130 : 143;
}
