/** What is known about an executor process that has ended. */
export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** An uncaught error that it could still report, or an error of starting it. */
  readonly fault?: string;
  /** Why the host killed it. */
  readonly killReason?: string;
  readonly stderrTail: readonly string[];
}

const OUT_OF_MEMORY = /heap out of memory|Allocation failed|process out of memory/i;

/**
 * Says in one sentence why a process ended, the most certain cause first (rule R5, fault H4). The subject names it.
 */
export function describeEnd(end: ProcessEnd, subject = "the executor"): string {
  if (end.killReason !== undefined) return `${subject} was killed: ${end.killReason}`;
  if (end.fault !== undefined) return `${subject} ended: ${end.fault}`;
  if (end.stderrTail.some((line) => OUT_OF_MEMORY.test(line))) return `${subject} ended: JavaScript heap out of memory`;
  if (end.signal !== null) return `${subject} was ended by ${end.signal}${end.signal === "SIGKILL" ? memoryHint : ""}`;
  if (end.exitCode === 0) return `${subject} exited with code 0 and without a result (process.exit in the task?)`;
  const lastLine = end.stderrTail.findLast((line) => /\berror\b/i.test(line)) ?? end.stderrTail.at(-1);
  const detail = lastLine === undefined ? "" : `: ${lastLine.trim()}`;
  return `${subject} exited with code ${end.exitCode ?? "unknown"} and without a result${detail}`;
}

const memoryHint = " (not by this host; the system's out-of-memory killer?)";
