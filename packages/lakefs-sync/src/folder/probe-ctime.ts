import { randomUUID } from "node:crypto";
import { closeSync, fstatSync, futimesSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Longest wait for a later ctime. Disks with a coarser one give no records. */
const maxWaitMs = 100;

/** Time between two looks, and the clock they are bounded by. */
export interface ProbeClock {
  readonly nowMs: () => number;
  readonly sleepMs: (durationMs: number) => Promise<void>;
}

const systemProbeClock: ProbeClock = {
  nowMs: () => performance.now(),
  sleepMs: (durationMs) =>
    new Promise((resolve) => {
      setTimeout(resolve, durationMs);
    }),
};

/**
 * Whether a change that is made from now on gets a later ctime than `latestNs` (rule T5). `touch` changes a probe file
 * and returns its ctime; it is called until that is later, for 100 ms at most.
 */
export async function ctimeMovesOn(latestNs: bigint, touch: () => bigint, clock: ProbeClock): Promise<boolean> {
  const endMs = clock.nowMs() + maxWaitMs;
  while (touch() <= latestNs) {
    if (clock.nowMs() >= endMs) return false;
    await clock.sleepMs(1);
  }
  return true;
}

/**
 * Asks the disk below a folder with a probe file, and leaves nothing behind. Each touch sets the probe's mtime far
 * back: on a disk whose ctime is no more than a copy of mtime, or can be set, it never gets later.
 */
export async function probeCtime(folder: string, latestNs: bigint, clock = systemProbeClock): Promise<boolean> {
  const path = join(folder, `.perago-probe-${randomUUID()}`);
  const descriptor = openSync(path, "wx");
  const touch = (): bigint => {
    futimesSync(descriptor, 1, 1);
    return fstatSync(descriptor, { bigint: true }).ctimeNs;
  };
  try {
    return await ctimeMovesOn(latestNs, touch, clock);
  } finally {
    closeSync(descriptor);
    rmSync(path, { force: true });
  }
}
