import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ContentCache } from "../src/cache/content-cache.ts";
import { itemsOfSnapshot } from "../src/cache/fill-items.ts";
import type { Snapshot } from "../src/snapshot/snapshot.ts";
import { breathe } from "../src/transfer/bounded.ts";
import type { JobContext } from "../src/transfer/context.ts";
import { syncIn } from "../src/transfer/sync-in.ts";
import { connectionTo, type SeenRequest } from "./fake-http.ts";
import { contextTo } from "./job-context.ts";
import { tempFolder } from "./temp-folder.ts";

/** One host's cache. */
export function cacheAt(root: string, endpoint: string, maxSizeBytes = 1024 ** 3): ContentCache {
  return new ContentCache({ root, maxSizeBytes }, connectionTo(endpoint), { pause: breathe });
}

/** A job's context with a cache. */
export function cachedContext(endpoint: string, cache: ContentCache): JobContext {
  return { ...contextTo(endpoint), cache };
}

/** Brings a commit in, fills the cache with it as a sync worker does, and gives the snapshot. */
export async function bringIn(
  endpoint: string,
  cache: ContentCache,
  { repository = "r", commitId = "c1" } = {},
): Promise<Snapshot> {
  const folder = join(tempFolder(), "work");
  const snapshot = await syncIn(cachedContext(endpoint, cache), { repository, commitId, prefix: "in", folder });
  cache.keep(1, itemsOfSnapshot(snapshot));
  await cache.settle(1, false);
  return snapshot;
}

/** Keys of the objects that were downloaded whole, in order. */
export function downloads(seen: readonly SeenRequest[]): string[] {
  return seen
    .filter(({ target, headers }) => target.includes("/objects?path=") && headers["range"] === undefined)
    .map(({ target }) => decodeURIComponent(target.split("?path=")[1] ?? ""))
    .toSorted();
}

/** All files of a cache's contents. */
export function contentFiles(root: string): string[] {
  const objects = join(root, "objects");
  return readdirSync(objects).flatMap((shard) =>
    readdirSync(join(objects, shard)).map((name) => join(objects, shard, name)),
  );
}
