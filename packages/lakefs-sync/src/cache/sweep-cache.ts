import { lstatSync, readdirSync, rmSync, statfsSync, type Stats } from "node:fs";
import { join } from "node:path";
import { defaultMinFreeBytes, type CacheOptions, type CachePlaces } from "./cache-root.ts";

/** A sweep leaves this much of the limit, so that the next one is not due at once. */
const keptShare = 0.9;
/** Share of what is free or the cache's own that the cache may have: workspaces need the rest. */
const diskShare = 0.5;
/** Age at which a temporary file is one of a process that died. */
const abandonedAfterMs = 60 * 60_000;
/** Files looked at between two looks at waiting messages. */
const filesPerBreath = 256;

/** A content's size on the disk and its last noted use, wall clock. */
export interface UsedContent {
  readonly usedMs: number;
  readonly sizeBytes: number;
}

/**
 * The time of the last use up to which contents go, so that what was used later has `keptSizeBytes` at most. Returns
 * -Infinity where all may stay. Pure.
 */
export function lastUseToDropMs(contents: readonly UsedContent[], keptSizeBytes: number): number {
  let sizeBytes = 0;
  for (const content of contents.toSorted((left, right) => right.usedMs - left.usedMs)) {
    sizeBytes += content.sizeBytes;
    if (sizeBytes > keptSizeBytes) return content.usedMs;
  }
  return Number.NEGATIVE_INFINITY;
}

/** Bytes that a cache may have: its setting, and never so much that its disk's others get too little. Pure. */
export function limitOf(
  { maxSizeBytes, minFreeBytes = defaultMinFreeBytes }: Omit<CacheOptions, "root">,
  disk: { readonly cacheSizeBytes: number; readonly freeBytes: number },
): number {
  const bothBytes = disk.cacheSizeBytes + disk.freeBytes;
  return Math.max(0, Math.min(maxSizeBytes, bothBytes * diskShare, bothBytes - minFreeBytes));
}

/** What a sweep found and did. */
export interface SweepResult {
  /** Bytes on the disk that are left. */
  readonly sizeBytes: number;
  /** What the cache may have at the moment. */
  readonly limitBytes: number;
  readonly removedCount: number;
}

/**
 * Removes the least recently used contents where the cache is too large, and what killed processes left half-written.
 * Hosts that share a cache sweep it each for itself: a file that is gone already is no error, and one that is in use
 * stays readable to whoever has it open.
 */
export async function sweepCache(
  places: CachePlaces,
  options: CacheOptions,
  pause: () => Promise<void>,
): Promise<SweepResult> {
  const contents: UsedContent[] = [];
  let sizeBytes = 0;
  for await (const { stats } of filesOf(places.objects, pause)) {
    const content = { usedMs: stats.mtimeMs, sizeBytes: sizeOnDisk(stats) };
    contents.push(content);
    sizeBytes += content.sizeBytes;
  }
  const disk = statfsSync(places.objects);
  const limitBytes = limitOf(options, { cacheSizeBytes: sizeBytes, freeBytes: disk.bavail * disk.bsize });
  let removedCount = 0;
  const dropMs = sizeBytes > limitBytes ? lastUseToDropMs(contents, limitBytes * keptShare) : Number.NEGATIVE_INFINITY;
  if (dropMs !== Number.NEGATIVE_INFINITY) {
    for await (const { path, stats } of filesOf(places.objects, pause)) {
      if (stats.mtimeMs > dropMs) continue;
      rmSync(path, { force: true });
      sizeBytes -= sizeOnDisk(stats);
      removedCount += 1;
    }
  }
  removeAbandoned(places.temporary);
  return { sizeBytes, limitBytes, removedCount };
}

function sizeOnDisk(stats: Stats): number {
  return Math.max(stats.size, stats.blocks * 512);
}

async function* filesOf(
  objects: string,
  pause: () => Promise<void>,
): AsyncGenerator<{ readonly path: string; readonly stats: Stats }> {
  let count = 0;
  for (const shard of readdirSync(objects)) {
    for (const name of readdirSync(join(objects, shard))) {
      const path = join(objects, shard, name);
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (stats !== undefined) yield { path, stats };
      count += 1;
      if (count % filesPerBreath === 0) await pause();
    }
  }
}

function removeAbandoned(temporary: string): void {
  for (const name of readdirSync(temporary)) {
    const path = join(temporary, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > abandonedAfterMs) rmSync(path, { force: true });
  }
}
