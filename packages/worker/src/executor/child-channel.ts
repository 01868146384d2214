import { cut } from "../telemetry/line.ts";
import { MAX_TEXT_LENGTH } from "./limits.ts";
import type { ChildMessage } from "./messages.ts";

/** The executor's end of the channel to its host. */
export interface ChildChannel {
  /** Resolves when the message is handed to the system; a process that ends before loses it (case S01). */
  send(message: ChildMessage): Promise<void>;
}

/**
 * Takes the channel for the runtime: `process.send` is hidden, so that a library that reports to whoever forked it
 * does not talk to the host.
 */
export function takeChannel(): ChildChannel {
  const send = process.send?.bind(process);
  if (send === undefined) throw new Error("an executor is started by its host only: there is no channel");
  Object.defineProperty(process, "send", { value: undefined, configurable: true, writable: true });
  return {
    send: (message) =>
      new Promise((resolve) => {
        // An error means that the host is gone; "disconnect" ends this process then.
        send(message, undefined, undefined, () => resolve());
      }),
  };
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
