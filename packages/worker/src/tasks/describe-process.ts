import { fork } from "node:child_process";
import type { Clock } from "../attempt/ports/clock.ts";
import { describeEnd } from "../executor/describe-end.ts";
import { processEntry } from "../executor/entry.ts";
import { killProcess } from "../executor/processes.ts";
import { readLines } from "../executor/stdio-lines.ts";
import { describeMessageSchema, type DescribeMessage } from "./describe-messages.ts";

/** Time that the import of a task module may take (fault J6). */
export const IMPORT_DEADLINE_MS = 30_000;

const MAX_STDERR_LINES = 20;

/** What the child said, or how it ended without a word. */
export type DescribeResult =
  | DescribeMessage
  | { readonly type: "silent"; readonly exitCode: number | null; readonly end: string }
  | { readonly type: "hung"; readonly deadlineMs: number };

/** What {@link describeInChild} needs. */
export interface DescribeOptions {
  readonly clock: Clock;
  /** Environment of the child, scrubbed already. */
  readonly environment: Readonly<Record<string, string>>;
  /** Default 30 s. */
  readonly deadlineMs?: number;
}

/** Imports a module in a process of its own and waits until that process is gone, whatever the module does. */
export async function describeInChild(modulePath: string, options: DescribeOptions): Promise<DescribeResult> {
  const entry = processEntry("tasks/describe-child");
  const deadlineMs = options.deadlineMs ?? IMPORT_DEADLINE_MS;
  const child = fork(entry.path, [modulePath], {
    execArgv: [...entry.nodeFlags],
    env: { ...options.environment },
    serialization: "advanced",
    detached: true,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const stderrTail: string[] = [];
  if (child.stderr !== null) {
    readLines(child.stderr, options.clock, (line) => {
      stderrTail.push(line);
      if (stderrTail.length > MAX_STDERR_LINES) stderrTail.shift();
    });
  }
  let result: DescribeResult | undefined;
  const kill = (): void => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) killProcess(-child.pid);
  };
  child.once("message", (raw) => {
    const parsed = describeMessageSchema.safeParse(raw);
    if (parsed.success) result = parsed.data;
    kill();
  });
  const stop = new AbortController();
  void options.clock.wait(deadlineMs, stop.signal).then(() => {
    if (stop.signal.aborted) return;
    result ??= { type: "hung", deadlineMs };
    kill();
  });
  // A busy import does not see that its host is gone.
  process.once("exit", kill);
  const exit = await untilGone(child);
  process.off("exit", kill);
  stop.abort();
  return (
    result ?? { type: "silent", exitCode: exit.exitCode, end: describeEnd({ ...exit, stderrTail }, "its process") }
  );
}

/** "close" comes after the last message and the last line; the group is killed, so nothing holds them open. */
function untilGone(child: ReturnType<typeof fork>): Promise<{
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly fault?: string;
}> {
  return new Promise((resolve) => {
    let fault: string | undefined;
    child.once("error", (error) => {
      fault = error.message;
      if (child.pid === undefined) resolve({ exitCode: null, signal: null, fault });
    });
    child.once("exit", () => {
      if (child.pid !== undefined) killProcess(-child.pid);
    });
    child.once("close", (exitCode, signal) => {
      resolve({ exitCode, signal, ...(fault === undefined ? {} : { fault }) });
    });
  });
}
