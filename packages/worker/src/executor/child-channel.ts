import { getHeapStatistics } from "node:v8";
import { parentPort } from "node:worker_threads";
import { cut } from "../telemetry/line.ts";
import { MAX_TEXT_LENGTH } from "./limits.ts";
import type { ChildMessage, HostMessage } from "./messages.ts";

/** The executor's end of the channel to its host. */
export interface ChildChannel {
  /** Resolves when the message is handed to the system; a process that ends before loses it (case S01). */
  send(message: ChildMessage): Promise<void>;
}

/** A channel, and what its kind of executor must do about its surroundings. */
export interface ChildSurroundings {
  readonly channel: ChildChannel;
  /** Called once with whoever takes the host's messages. */
  receive(onMessage: (message: HostMessage) => void): void;
  /** Memory that this executor holds, bytes. */
  memoryBytes(): number;
  /** Undoes what one body may have changed for the next. */
  restore(): void;
}

/**
 * Takes the process's channel for the runtime: `process.send` is hidden, so that a library that reports to whoever
 * forked it does not talk to the host.
 */
export function processSurroundings(): ChildSurroundings {
  const send = process.send?.bind(process);
  if (send === undefined) throw new Error("an executor is started by its host only: there is no channel");
  Object.defineProperty(process, "send", { value: undefined, configurable: true, writable: true });
  const folder = process.cwd();
  return {
    channel: {
      send: (message) =>
        new Promise((resolve) => {
          // An error means that the host is gone; "disconnect" ends this process then.
          send(message, undefined, undefined, () => resolve());
        }),
    },
    receive(onMessage) {
      endWithHost();
      process.on("message", onMessage);
    },
    memoryBytes: () => process.memoryUsage.rss(),
    restore() {
      process.exitCode = undefined;
      process.chdir(folder);
    },
  };
}

/** The same for a thread: its end with the host, its folder and its exit code are the process's affair. */
export function threadSurroundings(): ChildSurroundings {
  const port = parentPort;
  if (port === null) throw new Error("an executor is started by its host only: there is no channel");
  return {
    channel: { send: (message) => Promise.resolve(port.postMessage(message)) },
    receive: (onMessage) => void port.on("message", onMessage),
    // The whole process's memory would be held against each of its threads.
    memoryBytes: () => getHeapStatistics().used_heap_size,
    restore() {},
  };
}

/** Case S06: a host that is gone, however it went, takes its executors and what they started with it. */
function endWithHost(): void {
  const kill = process.kill.bind(process);
  process.once("disconnect", () => {
    try {
      kill(-process.pid, "SIGKILL");
    } catch {
      kill(process.pid, "SIGKILL");
    }
  });
}

/** Any thrown value as one bounded sentence with its name. */
export function describeThrown(thrown: unknown): string {
  if (!(thrown instanceof Error) && !isErrorLike(thrown)) return cut(`thrown: ${safeString(thrown)}`, MAX_TEXT_LENGTH);
  const { name, message } = thrown;
  return cut(message === "" ? safeString(name) : `${safeString(name)}: ${safeString(message)}`, MAX_TEXT_LENGTH);
}

/** Errors of other realms and copies. */
function isErrorLike(value: unknown): value is { readonly name: unknown; readonly message: unknown } {
  return typeof value === "object" && value !== null && "name" in value && "message" in value;
}

function safeString(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "a value that cannot be shown";
  }
}
