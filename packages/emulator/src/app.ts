import type { Clock } from "./clock.ts";
import type { FaultControls } from "./faults/controls.ts";

/** What each of the two servers gets from the emulator. */
export interface AppOptions {
  /** The folder of state; each server keeps its own SQLite file in it. It exists. */
  readonly folder: string;
  /** False where the folder is thrown away at the end: nothing is forced to disk then. */
  readonly durable: boolean;
  /** The time that the server sees; tests advance it. */
  readonly clock: Clock;
  /** Faults that tests ask for. They are applied around `fetch` (see `listen.ts`); an app need not look at them. */
  readonly faults: FaultControls;
}

/** One server without its socket. */
export interface App {
  /** Answers one request; `request.signal` aborts when the client goes away. */
  fetch(request: Request): Response | Promise<Response>;
  /** Closes files and timers. Open requests have ended before. */
  close(): void | Promise<void>;
}
