/** Executions that one executor process serves before it is replaced. */
export const MAX_EXECUTIONS_PER_PROCESS = 200;
/** Resident memory above which an executor process is replaced after an execution. */
export const MAX_RSS_BYTES = 512 * 1024 * 1024;
/** Waits between the starts of a crash-looping executor; the last one repeats. */
export const RESTART_BACKOFF_MS: readonly number[] = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000];
/** Time from fork to the loaded task module. */
export const START_TIMEOUT_MS = 30_000;
/** Time that a task's params schema may take. */
export const VALIDATE_TIMEOUT_MS = 30_000;
/** Time in which an executor must answer what is left of a body (rule T8); one that is busy is killed. */
export const INSPECT_TIMEOUT_MS = 5_000;
/** Time that a body's closing handles get to go away before the executor is killed (rule T8). */
export const SETTLE_MS = 200;
/** Between two looks at closing handles. */
export const SETTLE_POLL_MS = 10;
/** Time in which killed processes must be gone (rule T8). */
export const END_PROCESSES_TIMEOUT_MS = 10_000;
/** Between two looks at killed processes. */
export const END_PROCESSES_POLL_MS = 10;
/** Time that an ended executor's last messages get to arrive. */
export const DRAIN_TIMEOUT_MS = 1_500;
/** Time that its stderr gets to end. */
export const DRAIN_STDERR_TIMEOUT_MS = 200;

/** Log lines, metrics and progress notes that one executor may send in a second; further ones are counted as lost. */
export const MAX_NOTES_PER_SECOND = 500;
/** Bytes that are read from an executor's stdout and stderr in a second; then it has to wait. */
export const MAX_STDIO_BYTES_PER_SECOND = 8 * 1024 * 1024;
/** Longest line of stdout or stderr; longer ones are cut into several. */
export const MAX_STDIO_LINE_LENGTH = 8 * 1024;
/** Longest message of a log line, of an error, and of the fields of a log line as JSON; UTF-16 units. */
export const MAX_TEXT_LENGTH = 8 * 1024;
/** Labels of one metric. */
export const MAX_LABELS = 32;
/** Last lines of stderr that may explain the end of an executor. */
export const MAX_STDERR_TAIL_LINES = 20;
