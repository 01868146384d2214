import type { LakefsConnection } from "../client/http.ts";
import type { ObjectStats } from "../client/types.ts";
import { defaultMinFreeBytes, openCacheRoot, type CacheOptions, type CachePlaces } from "./cache-root.ts";
import { contentIdOf, realmOf } from "./content-id.ts";
import { fillContent, type FillItem } from "./fill-content.ts";
import { FillQueue } from "./fill-queue.ts";
import { sweepCache } from "./sweep-cache.ts";
import { takeContent, type Taken, type TakeRequest } from "./take-content.ts";

/** Objects over this share of the whole cache are not kept: one would push out everything else. */
const maxShare = 1 / 8;
/** A sweep is due when this share of the limit was filled since the last one. */
const sweepShare = 1 / 16;
/** Or this share of what its disk's others are to have. */
const freeShare = 1 / 4;
/** Contents taken between two looks at waiting messages. */
const takesPerBreath = 16;
/** After a full disk nothing is filled for this long. */
const fullPauseMs = 60_000;

/** What a cache did since it was opened. */
export interface CacheCounts {
  takenCount: number;
  missedCount: number;
  /** Files that were there and did not hold what they should; they are removed. */
  damagedCount: number;
  filledCount: number;
}

/**
 * Contents of objects on this host's disk, by content id. It speeds things up and decides nothing: whatever goes wrong
 * in it is a content that is not there. One sync worker fills one at a time; hosts share a root without a lock.
 */
export class ContentCache {
  readonly #options: CacheOptions;
  readonly #places: CachePlaces;
  readonly #realm: string;
  readonly #pause: () => Promise<void>;
  readonly #queue: FillQueue;
  /** What lies there from before is unknown: the first filling starts the first sweep. */
  #filledSinceSweep = Number.POSITIVE_INFINITY;
  #sweep: Promise<void> | undefined;
  #takeCount = 0;
  #fullUntilMs = 0;
  readonly counts: CacheCounts = { takenCount: 0, missedCount: 0, damagedCount: 0, filledCount: 0 };

  /** Throws `SyncError` `cache_unusable`. */
  constructor(options: CacheOptions, connection: LakefsConnection, pause: () => Promise<void>) {
    this.#options = options;
    this.#places = openCacheRoot(options.root);
    this.#realm = realmOf(connection);
    this.#pause = pause;
    this.#queue = new FillQueue((item) => this.fillWith(item), pause);
  }

  /** The content id of an object, or undefined where it is not to be kept. */
  idOf(repository: string, stats: ObjectStats): string | undefined {
    if (stats.size_bytes > this.#options.maxSizeBytes * maxShare) return undefined;
    return contentIdOf(this.#realm, repository, stats);
  }

  /** Copies a content into a new file, all its bytes checked; the MD5 of them, or undefined where it is not there. */
  async take(request: TakeRequest): Promise<string | undefined> {
    this.#takeCount += 1;
    if (this.#takeCount % takesPerBreath === 0) await this.#pause();
    const taken: Taken = await takeContent(this.#places, request, this.#pause);
    if (taken === "missing") this.counts.missedCount += 1;
    else if (taken === "damaged") this.counts.damagedCount += 1;
    else this.counts.takenCount += 1;
    return typeof taken === "string" ? undefined : taken.md5;
  }

  /** Keeps a file's bytes where they are still the object's. Never throws. */
  async fillWith(item: FillItem): Promise<void> {
    if (performance.now() < this.#fullUntilMs) return;
    this.#sweepWhenDue();
    const filled = await fillContent(this.#places, item, this.#pause);
    if (filled === "full") {
      this.#rest();
      return;
    }
    if (filled !== "kept") return;
    this.#filledSinceSweep += item.sizeBytes;
    this.counts.filledCount += 1;
  }

  /** Fills with a workspace's files, beside everything else, until `settle`. */
  keep(workspaceId: number, items: Iterable<FillItem>): void {
    this.#queue.add(workspaceId, items);
  }

  /** Waits for a workspace's files before its folder goes; not for ever. */
  settle(workspaceId: number): Promise<void> {
    return this.#queue.settle(workspaceId);
  }

  /** Resolves when no sweep is under way. */
  async swept(): Promise<void> {
    await this.#sweep;
  }

  /** The disk is full: nothing is filled for a while, and then a sweep comes first. */
  #rest(): void {
    this.#fullUntilMs = performance.now() + fullPauseMs;
    this.#filledSinceSweep = Number.POSITIVE_INFINITY;
  }

  #sweepWhenDue(): void {
    const { maxSizeBytes, minFreeBytes = defaultMinFreeBytes } = this.#options;
    const isDue = this.#filledSinceSweep >= Math.min(maxSizeBytes * sweepShare, minFreeBytes * freeShare);
    if (!isDue || this.#sweep !== undefined) return;
    this.#filledSinceSweep = 0;
    // A sweep that fails leaves a cache too large; the next one is due after as many bytes again.
    this.#sweep = sweepCache(this.#places, this.#options, this.#pause).then(
      ({ limitBytes }) => {
        this.#sweep = undefined;
        if (limitBytes === 0) this.#rest();
      },
      () => {
        this.#sweep = undefined;
      },
    );
  }
}
