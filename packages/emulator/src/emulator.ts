import { mkdtempSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createClock, type ControlledClock } from "./clock.ts";
import type { ConductorControls } from "./conductor/engine/controls.ts";
import { createConductorApp } from "./conductor/index.ts";
import { createFaults, type FaultControls } from "./faults/controls.ts";
import { createLakefsApp, type LakefsCredentials } from "./lakefs/index.ts";
import { listen } from "./listen.ts";
import { lockFolder } from "./store/database.ts";

/** How an emulator is started. Without a folder it is ephemeral. */
export interface EmulatorOptions {
  /** The folder of state; made where it is missing. One emulator at a time uses it. */
  readonly folder?: string;
  /** A temporary folder, removed at `close()`; nothing is forced to disk. Default: true without `folder`. */
  readonly ephemeral?: boolean;
  /** Port of the lakeFS part on 127.0.0.1; default 0: a free one. */
  readonly lakefsPort?: number;
  /** Port of the Conductor part on 127.0.0.1; default 0: a free one. */
  readonly conductorPort?: number;
  /** The clock; default one that runs with real time. A clock that is given is not closed. */
  readonly clock?: ControlledClock;
  /** The lakeFS credentials of a new folder; default: random ones. */
  readonly credentials?: LakefsCredentials;
}

/** Where the lakeFS part is, and how to get in. */
export interface LakefsEndpoint extends LakefsCredentials {
  /** `http://127.0.0.1:<port>`, as `LAKECTL_SERVER_ENDPOINT_URL` takes it. */
  readonly url: string;
}

/** Where the Conductor part is. */
export interface ConductorEndpoint {
  /** `http://127.0.0.1:<port>/api`, as `CONDUCTOR_SERVER_URL` takes it. */
  readonly url: string;
  /** Test controls for what only a dying or slow server does. */
  readonly controls: ConductorControls;
}

/** A running emulator. */
export interface Emulator {
  readonly lakefs: LakefsEndpoint;
  readonly conductor: ConductorEndpoint;
  /** The folder of state. */
  readonly folder: string;
  /** Faults for tests. */
  readonly faults: FaultControls;
  /** The time that both servers see. */
  readonly clock: ControlledClock;
  /** Ends both servers; an ephemeral folder is removed. A second call does nothing. */
  close(): Promise<void>;
}

/**
 * Starts both servers on 127.0.0.1. Rejects with a TypeError for `folder` with `ephemeral`, with an Error for a folder
 * that another emulator uses, and with system errors as they are (a port that is taken, a folder that cannot be made).
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const place = openFolder(options);
  const clock = options.clock ?? createClock();
  const faults = createFaults();
  const undo: (() => void | Promise<void>)[] = [place.leave];
  if (options.clock === undefined) undo.push(() => clock.close());
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= runAll(undo));
  try {
    const shared = { folder: place.folder, durable: place.durable, clock, faults };
    const lakefs = createLakefsApp(shared, options.credentials);
    const lakefsServer = await listen({ name: "lakefs", app: lakefs, port: options.lakefsPort ?? 0, faults });
    undo.push(() => lakefsServer.close());
    const conductor = createConductorApp(shared);
    const conductorServer = await listen({
      name: "conductor",
      app: conductor,
      port: options.conductorPort ?? 0,
      faults,
    });
    undo.push(() => conductorServer.close());
    return {
      lakefs: { url: lakefsServer.origin, ...lakefs.credentials },
      conductor: { url: `${conductorServer.origin}/api`, controls: conductor.controls },
      folder: place.folder,
      faults,
      clock,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Place {
  readonly folder: string;
  readonly durable: boolean;
  readonly leave: () => void;
}

function openFolder(options: EmulatorOptions): Place {
  if (options.folder !== undefined && options.ephemeral === true) {
    throw new TypeError("an emulator is ephemeral or has a folder, not both");
  }
  if (options.folder === undefined) {
    const folder = mkdtempSync(join(tmpdir(), "perago-emulator-"));
    return { folder, durable: false, leave: () => rmSync(folder, { recursive: true, force: true }) };
  }
  const folder = resolve(options.folder);
  mkdirSync(folder, { recursive: true });
  const lock = lockFolder(join(folder, "lock.db"));
  if (lock === undefined) throw new Error(`the folder ${folder} is in use by another emulator: end that one first`);
  return { folder, durable: true, leave: () => lock.release() };
}

async function runAll(undo: readonly (() => void | Promise<void>)[]): Promise<void> {
  for (const step of undo.toReversed()) await step();
}
