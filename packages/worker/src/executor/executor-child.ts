import type { Clock } from "../attempt/ports/clock.ts";
import type { BodyRequest } from "../attempt/ports/executor.ts";
import { describeEnd } from "./describe-end.ts";
import { MAX_STDERR_TAIL_LINES } from "./limits.ts";
import { childMessageSchema, type ChildMessage, type HostMessage, type Note, type Reply } from "./messages.ts";
import type { Exit } from "./process-exit.ts";
import { readLines } from "./stdio-lines.ts";
import type { Readable } from "node:stream";

/** What carries an executor: a process of its own, or a thread of the host (`PERAGO_EXECUTION_MODE`). */
export interface ChildCarrier {
  /** Its process, which leads a group of that number; undefined for a thread, and where it could not be started. */
  readonly pid: number | undefined;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  /** Called once, before anything can have arrived. */
  listen(listener: CarrierListener): void;
  /** A carrier that has ended takes messages and forgets them. */
  send(message: HostMessage): void;
  /** Ends it at once. Only while it runs. */
  kill(): void;
  /** Resolves when it is gone and its last words have arrived. Never rejects. */
  readonly ended: Promise<Exit>;
}

/** Whom a carrier tells. */
export interface CarrierListener {
  readonly onMessage: (raw: unknown) => void;
  /** An error of starting it, or an uncaught one inside. */
  readonly onFault: (message: string) => void;
  /** It has ended; its last words may still arrive. */
  readonly onExit: () => void;
}

/** Who hears what an executor says. */
export interface ExecutorChildOptions {
  readonly clock: Clock;
  /** Told before a body runs: what is said from here on is its execution's. */
  readonly onRun?: (request: BodyRequest) => void;
  readonly onNote: (note: Note) => void;
  readonly onLine: (stream: "stdout" | "stderr", line: string) => void;
}

/** Answers to the start: the module is loaded, or why not. */
export type StartReport = Extract<ChildMessage, { type: "ready" | "cannot_start" }>;

interface Pending {
  readonly answer: (reply: Reply | undefined) => void;
  readonly onBegun: (() => void) | undefined;
}

/** One executor, whatever carries it. Errors of starting it are its end, never a throw. */
export class ExecutorChild {
  readonly #carrier: ChildCarrier;
  readonly #options: ExecutorChildOptions;
  readonly #pending = new Map<number, Pending>();
  readonly #start = Promise.withResolvers<StartReport | undefined>();
  readonly #stderrTail: string[] = [];
  #isAlive = true;
  #callCount = 0;
  #fault: string | undefined;
  #killReason: string | undefined;
  /** Resolves once it has ended and its last messages have arrived; the sentence says why. Never rejects. */
  readonly ended: Promise<string>;

  constructor(carrier: ChildCarrier, options: ExecutorChildOptions) {
    this.#carrier = carrier;
    this.#options = options;
    carrier.listen({
      onMessage: (raw) => this.#receive(raw),
      onFault: (message) => {
        this.#fault ??= message;
      },
      onExit: () => {
        this.#isAlive = false;
      },
    });
    this.#listen("stdout");
    this.#listen("stderr");
    this.ended = carrier.ended.then((exit) => this.#finish(exit));
  }

  /** See `ChildCarrier.pid`. */
  get pid(): number | undefined {
    return this.#carrier.pid;
  }

  /** What the executor says first. Undefined where it ended before. */
  get started(): Promise<StartReport | undefined> {
    return this.#start.promise;
  }

  /** Runs, and was not told to end: one that was killed is given no work and is not spared by the seal (rule T8). */
  isAlive(): boolean {
    return this.#isAlive && this.#killReason === undefined;
  }

  /** One that ends meanwhile loses the message, which `ended` tells. */
  send(message: HostMessage): void {
    if (message.type === "run") this.#options.onRun?.(message.request);
    this.#carrier.send(message);
  }

  /**
   * Sends a message with a fresh call number; undefined where the executor ended without an answer. `onBegun` hears
   * that the input of a `run` is valid.
   */
  request(message: (call: number) => HostMessage, onBegun?: () => void): Promise<Reply | undefined> {
    if (!this.#isAlive) return Promise.resolve(undefined);
    this.#callCount += 1;
    const call = this.#callCount;
    return new Promise((resolve) => {
      this.#pending.set(call, { answer: resolve, onBegun });
      this.send(message(call));
    });
  }

  /** Ends it at once, with its process group where it has one. The first reason counts. */
  kill(reason: string): void {
    if (!this.#isAlive) return;
    this.#killReason ??= reason;
    this.#carrier.kill();
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
      case "begun":
        return this.#pending.get(message.call)?.onBegun?.();
      case "log":
      case "metric":
      case "progress":
        return this.#options.onNote(message);
      default: {
        const pending = this.#pending.get(message.call);
        this.#pending.delete(message.call);
        return pending?.answer(message);
      }
    }
  }

  #listen(name: "stdout" | "stderr"): void {
    const stream = this.#carrier[name];
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
    for (const { answer } of this.#pending.values()) answer(undefined);
    this.#pending.clear();
    const fault = this.#fault === undefined ? {} : { fault: this.#fault };
    const killed = this.#killReason === undefined ? {} : { killReason: this.#killReason };
    return describeEnd({ exitCode, signal, ...fault, ...killed, stderrTail: this.#stderrTail });
  }
}
