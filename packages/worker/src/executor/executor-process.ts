import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Clock } from "../attempt/ports/clock.ts";
import { describeEnd } from "./describe-end.ts";
import { processEntry } from "./entry.ts";
import { DRAIN_TIMEOUT_MS, MAX_STDERR_TAIL_LINES } from "./limits.ts";
import { childMessageSchema, type ChildMessage, type HostMessage, type Note, type Reply } from "./messages.ts";
import { killProcess } from "./processes.ts";
import { readLines } from "./stdio-lines.ts";

/** How one executor process is started, and who hears what it says. */
export interface ExecutorProcessOptions {
  readonly clock: Clock;
  /** The whole environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
  /** Further flags for Node, e.g. `--max-old-space-size=2048`. */
  readonly nodeFlags: readonly string[];
  readonly onNote: (note: Note) => void;
  readonly onLine: (stream: "stdout" | "stderr", line: string) => void;
}

/** Answers to the start: the module is loaded, or why not. */
export type StartReport = Extract<ChildMessage, { type: "ready" | "cannot_start" }>;

/** One executor process. Its pid is also the id of its process group. */
export interface ExecutorProcess {
  readonly pid: number | undefined;
  isAlive(): boolean;
  /** What the process says first. Undefined where it ended before. */
  readonly started: Promise<StartReport | undefined>;
  /** Resolves once it has ended and its last messages have arrived; the sentence says why. Never rejects. */
  readonly ended: Promise<string>;
  send(message: HostMessage): void;
  /** Sends a message with a fresh call number; undefined where the process ended without an answer. */
  request(message: (call: number) => HostMessage): Promise<Reply | undefined>;
  /** SIGKILL to the whole process group. The first reason counts. */
  kill(reason: string): void;
}

/** Forks an executor into a process group of its own. Errors of starting it are its end, never a throw. */
export function startExecutorProcess(options: ExecutorProcessOptions): ExecutorProcess {
  const entry = processEntry("executor/child");
  const child = fork(entry.path, [], {
    execArgv: [...entry.nodeFlags, ...options.nodeFlags],
    env: { ...options.environment },
    serialization: "advanced",
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  return supervise(child, options);
}

function supervise(child: ChildProcess, options: ExecutorProcessOptions): ExecutorProcess {
  const stderrTail: string[] = [];
  const pending = new Map<number, (reply: Reply | undefined) => void>();
  const start = Promise.withResolvers<StartReport | undefined>();
  let isAlive = child.pid !== undefined;
  let callCount = 0;
  let fault: string | undefined;
  let killReason: string | undefined;

  const kill = (reason: string): void => {
    killReason ??= reason;
    // Before the group id can belong to anybody else: only while the leader is not reaped.
    if (isAlive && child.pid !== undefined) killProcess(-child.pid);
  };
  const receive = (raw: unknown): void => {
    const parsed = childMessageSchema.safeParse(raw);
    if (!parsed.success) return kill("it sent a message that the host cannot read");
    const message = parsed.data;
    switch (message.type) {
      case "ready":
      case "cannot_start":
        return start.resolve(message);
      case "fault":
        fault ??= message.message;
        return;
      case "log":
      case "metric":
      case "progress":
        return options.onNote(message);
      default: {
        const answer = pending.get(message.call);
        pending.delete(message.call);
        answer?.(message);
      }
    }
  };
  child.on("message", receive);
  child.on("error", (error) => {
    fault ??= error.message;
  });
  for (const name of ["stdout", "stderr"] as const) {
    const stream = child[name];
    if (stream !== null) {
      readLines(stream, options.clock, (line) => {
        if (name === "stderr") keepTail(stderrTail, line);
        options.onLine(name, line);
      });
    }
  }
  const ended = untilEnded(child, options.clock).then(({ exitCode, signal }) => {
    isAlive = false;
    start.resolve(undefined);
    for (const answer of pending.values()) answer(undefined);
    pending.clear();
    return describeEnd({
      exitCode,
      signal,
      ...(fault === undefined ? {} : { fault }),
      ...(killReason === undefined ? {} : { killReason }),
      stderrTail,
    });
  });
  child.once("exit", () => {
    isAlive = false;
  });
  const send = (message: HostMessage): void => {
    // A channel that closes meanwhile is the process's end, which `ended` tells.
    if (child.connected) child.send(message, () => {});
  };
  return {
    pid: child.pid,
    isAlive: () => isAlive,
    started: start.promise,
    ended,
    kill,
    send,
    request: (message) => {
      if (!isAlive) return Promise.resolve(undefined);
      callCount += 1;
      const call = callCount;
      return new Promise((resolve) => {
        pending.set(call, resolve);
        send(message(call));
      });
    },
  };
}

interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** A result may still be in the channel when the process is gone (case S01): "disconnect" comes after the last message. */
async function untilEnded(child: ChildProcess, clock: Clock): Promise<Exit> {
  if (child.pid === undefined) return once(child, "error").then(() => ({ exitCode: null, signal: null }));
  const exit = new Promise<Exit>((resolve) => {
    child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
  });
  const disconnected = new Promise<void>((resolve) => {
    child.once("disconnect", () => resolve());
  });
  const stderrEnded = new Promise<void>((resolve) => {
    if (child.stderr === null) return resolve();
    child.stderr.once("close", () => resolve());
  });
  const result = await exit;
  // Bounded: a process that inherited stderr would hold it open.
  const stop = new AbortController();
  const drained = Promise.all([disconnected, Promise.race([stderrEnded, clock.wait(200, stop.signal)])]);
  await Promise.race([drained, clock.wait(DRAIN_TIMEOUT_MS, stop.signal)]);
  stop.abort();
  return result;
}

function keepTail(tail: string[], line: string): void {
  tail.push(line);
  if (tail.length > MAX_STDERR_TAIL_LINES) tail.shift();
}
