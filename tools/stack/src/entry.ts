import { StackError, messageOf } from "./errors.ts";

/** One message on stderr; results alone go to stdout. */
export function say(line: string): void {
  process.stderr.write(`stack: ${line}\n`);
}

/**
 * Runs an entry point: its signal is aborted by SIGINT and SIGTERM, what it throws is printed, and its answer is the
 * exit code (130 and 143 after a signal).
 */
export async function runEntry(work: (signal: AbortSignal) => Promise<number>): Promise<void> {
  const stop = new AbortController();
  let signalExitCode: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    signalExitCode ??= signal === "SIGINT" ? 130 : 143;
    stop.abort(new Error(`stopped by ${signal}`));
  };
  // Repeated signals are swallowed: what was started is being stopped, which is bounded.
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  try {
    process.exitCode = await work(stop.signal);
  } catch (error) {
    if (stop.signal.aborted) say(messageOf(stop.signal.reason));
    else say(error instanceof StackError ? `${error.message}\n  -> ${error.hint}` : messageOf(error));
    process.exitCode = error instanceof StackError ? error.exitCode : 1;
  } finally {
    process.exitCode = signalExitCode ?? process.exitCode;
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
  }
}
