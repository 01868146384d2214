import type { Dirent } from "node:fs";
import { readdir, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../attempt/ports/clock.ts";
import { readMarker, type AttemptMarker } from "./marker.ts";
import { removeAttemptFolder } from "./remove-tree.ts";

/** Folders looked at in one sweep; the rest waits for the next one. */
export const MAX_FOLDERS_PER_SWEEP = 10_000;

/** One folder at the place of an attempt, `<root>/<workerId>/<executionId>`. */
export interface FoundFolder {
  readonly workerId: string;
  readonly executionId: string;
  readonly marker?: AttemptMarker;
  readonly isEmpty: boolean;
  /** Wall clock, milliseconds. */
  readonly changedAtMs: number;
}

/** What becomes of a folder. */
export type FolderFate = "keep" | "remove" | "remove_if_empty";

/**
 * What becomes of a folder (rule X3, local part): it goes when it carries our marker, is older than the TTL and no
 * execution of this host holds it. A folder that is empty was cut before its marker was written. Everything else is
 * somebody else's. Pure.
 */
export function decideFolder(input: {
  readonly folder: FoundFolder;
  readonly ttlMs: number;
  readonly nowMs: number;
  readonly isHeld: (executionId: string) => boolean;
}): FolderFate {
  const { folder, ttlMs, nowMs } = input;
  if (input.isHeld(folder.executionId)) return "keep";
  if (folder.marker === undefined)
    return folder.isEmpty && nowMs - folder.changedAtMs > ttlMs ? "remove_if_empty" : "keep";
  const { workerId, executionId, createdAtMs } = folder.marker;
  // A marker that was copied or moved does not speak for the folder that it lies in.
  if (workerId !== folder.workerId || executionId !== folder.executionId) return "keep";
  return nowMs - createdAtMs > ttlMs ? "remove" : "keep";
}

/** What one sweep did. */
export interface SweepReport {
  readonly removedCount: number;
  readonly keptCount: number;
  /** Folders that could not be removed; they are tried again at the next sweep. */
  readonly failures: readonly { readonly folder: string; readonly error: unknown }[];
}

/** What one sweep looks at. */
export interface SweepOptions {
  readonly root: string;
  readonly ttlMs: number;
  /** Whether an execution of this host holds the folder. */
  readonly isHeld: (executionId: string) => boolean;
  /** Wall clock. Default `Date.now`. */
  readonly nowMs?: () => number;
  /** Ends the sweep after the folder that it is at. */
  readonly signal?: AbortSignal;
}

/** Sweeps the root once: removes abandoned attempt folders of any host, dead or our own. Never throws. */
export async function sweepFolders(options: SweepOptions): Promise<SweepReport> {
  const { root, ttlMs, isHeld } = options;
  const nowMs = (options.nowMs ?? Date.now)();
  const failures: { folder: string; error: unknown }[] = [];
  let removedCount = 0;
  let keptCount = 0;
  let seenCount = 0;
  for (const worker of await foldersIn(root)) {
    for (const execution of await foldersIn(join(root, worker.name))) {
      seenCount += 1;
      if (seenCount > MAX_FOLDERS_PER_SWEEP || options.signal?.aborted === true) {
        return { removedCount, keptCount, failures };
      }
      const path = join(root, worker.name, execution.name);
      try {
        const folder = await look(path, worker.name, execution.name);
        const fate = decideFolder({ folder, ttlMs, nowMs, isHeld });
        if (fate === "keep") keptCount += 1;
        else removedCount += 1;
        if (fate === "remove") await removeAttemptFolder(path);
        if (fate === "remove_if_empty") await rmdir(path);
      } catch (error) {
        failures.push({ folder: path, error });
      }
    }
  }
  return { removedCount, keptCount, failures };
}

/** Sweeps at once, then at every interval until the signal fires. */
export async function runSweeps(
  options: SweepOptions & {
    readonly intervalMs: number;
    readonly clock: Clock;
    readonly onSweep: (report: SweepReport) => void;
  },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    options.onSweep(await sweepFolders({ ...options, signal }));
    await options.clock.wait(options.intervalMs, signal);
  }
}

async function look(path: string, workerId: string, executionId: string): Promise<FoundFolder> {
  const marker = await readMarker(path);
  const names = await readdir(path);
  const { mtimeMs } = await stat(path);
  return {
    workerId,
    executionId,
    ...(marker === undefined ? {} : { marker }),
    isEmpty: names.length === 0,
    changedAtMs: mtimeMs,
  };
}

/** Real folders only: a link is never followed. */
async function foldersIn(folder: string): Promise<readonly Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory());
}
