import { fork, type ChildProcess } from "node:child_process";
import type { Clock } from "../attempt/ports/clock.ts";
import { describeEnd } from "./describe-end.ts";
import { processEntry } from "./entry.ts";
import { MAX_STDERR_TAIL_LINES } from "./limits.ts";
import { childMessageSchema, type ChildMessage, type HostMessage, type Note, type Reply } from "./messages.ts";
import { untilExit, type Exit } from "./process-exit.ts";
import { killProcess } from "./processes.ts";
import { readLines } from "./stdio-lines.ts";

/** How one executor process is started, and who hears what it says. */
export interface ExecutorProcessOptions {
  readonly clock: Clock;
  /** The whole environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
  /** Further flags for Node. */
  readonly nodeFlags: readonly string[];
  readonly onNote: (note: Note) => void;
  readonly onLine: (stream: "stdout" | "stderr", line: string) => void;
}

/** Answers to the start: the module is loaded, or why not. */
export type StartReport = Extract<ChildMessage, { type: "ready" | "cannot_start" }>;

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
  return new ExecutorProcess(child, options);
}

/** One executor process. Its pid is also the id of its process group. */
export class ExecutorProcess {
  readonly #child: ChildProcess;
  readonly #options: ExecutorProcessOptions;
  readonly #pending = new Map<number, (reply: Reply | undefined) => void>();
  readonly #start = Promise.withResolvers<StartReport | undefined>();
  readonly #stderrTail: string[] = [];
  #isAlive: boolean;
  #callCount = 0;
  #fault: string | undefined;
  #killReason: string | undefined;
  /** Resolves once it has ended and its last messages have arrived; the sentence says why. Never rejects. */
  readonly ended: Promise<string>;

  constructor(child: ChildProcess, options: ExecutorProcessOptions) {
    this.#child = child;
    this.#options = options;
    this.#isAlive = child.pid !== undefined;
    child.on("message", (raw) => this.#receive(raw));
    child.on("error", (error) => {
      this.#fault ??= error.message;
    });
    child.once("exit", () => {
      this.#isAlive = false;
    });
    this.#listen("stdout");
    this.#listen("stderr");
    this.ended = untilExit(child, options.clock).then((exit) => this.#finish(exit));
  }

  /** Undefined where it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** What the process says first. Undefined where it ended before. */
  get started(): Promise<StartReport | undefined> {
    return this.#start.promise;
  }

  /** Runs, and was not told to end: one that was killed is given no work and is not spared by the seal (rule T8). */
  isAlive(): boolean {
    return this.#isAlive && this.#killReason === undefined;
  }

  send(message: HostMessage): void {
    // A channel that closes meanwhile is the process's end, which `ended` tells.
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  /** Sends a message with a fresh call number; undefined where the process ended without an answer. */
  request(message: (call: number) => HostMessage): Promise<Reply | undefined> {
    if (!this.#isAlive) return Promise.resolve(undefined);
    this.#callCount += 1;
    const call = this.#callCount;
    return new Promise((resolve) => {
      this.#pending.set(call, resolve);
      this.send(message(call));
    });
  }

  /** SIGKILL to the whole process group. The first reason counts. */
  kill(reason: string): void {
    if (!this.#isAlive || this.#child.pid === undefined) return;
    // Only while the leader is not reaped: afterwards the number may be anybody's.
    this.#killReason ??= reason;
    killProcess(-this.#child.pid);
  }

  #receive(raw: unknown): void {
    const parsed = childMessageSchema.safeParse(raw);
    if (!parsed.success) return this.kill("it sent a message that the host cannot read");
    const message = parsed.data;
    switch (message.type) {
      case "ready":
      case "cannot_start":
        return this.#start.resolve(message);
      case "fault":
        this.#fault ??= message.message;
        return undefined;
      case "log":
      case "metric":
      case "progress":
        return this.#options.onNote(message);
      default: {
        const answer = this.#pending.get(message.call);
        this.#pending.delete(message.call);
        return answer?.(message);
      }
    }
  }

  #listen(name: "stdout" | "stderr"): void {
    const stream = this.#child[name];
    if (stream === null) return;
    readLines(stream, this.#options.clock, (line) => {
      if (name === "stderr") this.#keepTail(line);
      this.#options.onLine(name, line);
    });
  }

  #keepTail(line: string): void {
    this.#stderrTail.push(line);
    if (this.#stderrTail.length > MAX_STDERR_TAIL_LINES) this.#stderrTail.shift();
  }

  #finish({ exitCode, signal }: Exit): string {
    this.#isAlive = false;
    this.#start.resolve(undefined);
    for (const answer of this.#pending.values()) answer(undefined);
    this.#pending.clear();
    const fault = this.#fault === undefined ? {} : { fault: this.#fault };
    const killed = this.#killReason === undefined ? {} : { killReason: this.#killReason };
    return describeEnd({ exitCode, signal, ...fault, ...killed, stderrTail: this.#stderrTail });
  }
}
