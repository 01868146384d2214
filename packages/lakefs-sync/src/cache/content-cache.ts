import type { LakefsConnection } from "../client/http.ts";
import type { ObjectStats } from "../client/types.ts";
import { defaultMinFreeBytes, openCacheRoot, type CacheOptions, type CachePlaces } from "./cache-root.ts";
import { FileStock } from "../folder/file-stock.ts";
import { contentIdOf, realmOf } from "./content-id.ts";
import { fillContent, moveContent, type Filled, type FillItem } from "./fill-content.ts";
import { FillQueue } from "./fill-queue.ts";
import { sweepCache } from "./sweep-cache.ts";
import { readContent, takeContent, type ContentRequest, type Taken, type TakeRequest } from "./take-content.ts";

/** Objects over this share of the whole cache are not kept: one would push out everything else. */
const maxShare = 1 / 8;
/** A sweep is due when this share of the limit was filled since the last one. */
const sweepShare = 1 / 16;
/** Or this share of what its disk's others are to have. */
const freeShare = 1 / 4;
/** After a full disk nothing is filled for this long. */
const fullPauseMs = 60_000;

/** The sync worker's side of a cache. */
export interface CacheSurroundings {
  /** Lets waiting messages in; awaited between pieces of work. */
  readonly pause: () => Promise<void>;
  /** Whether there is nothing better to do than filling. Default always. */
  readonly isIdle?: () => boolean;
}

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
  /** Until a file turned out to lie on another disk. */
  #canMove = true;
  /** What lies there from before is unknown: the first filling starts the first sweep. */
  #filledSinceSweep = Number.POSITIVE_INFINITY;
  #sweep: Promise<void> | undefined;
  #fullUntilMs = 0;
  readonly counts: CacheCounts = { takenCount: 0, missedCount: 0, damagedCount: 0, filledCount: 0 };

  /** Throws `SyncError` `cache_unusable`. */
  constructor(options: CacheOptions, connection: LakefsConnection, { pause, isIdle = always }: CacheSurroundings) {
    this.#options = options;
    this.#places = openCacheRoot(options.root);
    this.#realm = realmOf(connection);
    this.#pause = pause;
    this.#queue = new FillQueue({ fill: (item, turn) => this.fillWith(item, turn), pause, isIdle });
  }

  /** The stock of new files that lies beside the contents; `isIdle` says when it may be filled. */
  openStock(isIdle: () => boolean): FileStock {
    return new FileStock(this.#places.stock, { pause: this.#pause, isIdle });
  }

  /** The content id of an object, or undefined where it is not to be kept. */
  idOf(repository: string, stats: ObjectStats): string | undefined {
    if (stats.size_bytes > this.#options.maxSizeBytes * maxShare) return undefined;
    return contentIdOf(this.#realm, repository, stats);
  }

  /** Reads a small content into a buffer that holds it and a trailer, all checked; undefined where it is not there. */
  read(request: ContentRequest, buffer: Buffer): { readonly md5: string; readonly bytes: Buffer } | undefined {
    return this.#counted(readContent(this.#places, request, buffer));
  }

  /** Copies a content into a new file, all its bytes checked; the MD5 of them, or undefined where it is not there. */
  async take(request: TakeRequest): Promise<string | undefined> {
    return this.#counted(await takeContent(this.#places, request, this.#pause))?.md5;
  }

  /** Keeps a file's bytes where they are still the object's. Never throws. */
  async fillWith(item: FillItem, pause = this.#pause): Promise<void> {
    await this.#fill(item, () => fillContent(this.#places, item, pause));
  }

  /** The same with a file that nobody needs any more: it may become the cache's own. Never throws. */
  async moveIn(item: FillItem, pause = this.#pause): Promise<void> {
    const { mark } = item;
    if (mark === undefined || !this.#canMove) await this.fillWith(item, pause);
    else await this.#fill(item, () => moveContent(this.#places, { ...item, mark }, pause));
  }

  /** Fills with a workspace's files in spare time, until `settle`. */
  keep(workspaceId: number, items: Iterable<FillItem>): void {
    this.#queue.add(workspaceId, items);
  }

  /** Fills with what is left of a workspace's files; not for ever. Where its folder goes, they may be taken from it. */
  settle(workspaceId: number, folderGoes: boolean): Promise<void> {
    return this.#queue.settle(workspaceId, (item, pause) =>
      folderGoes ? this.moveIn(item, pause) : this.fillWith(item, pause),
    );
  }

  /** Resolves when no sweep is under way. */
  async swept(): Promise<void> {
    await this.#sweep;
  }

  #counted<Whole>(taken: Taken<Whole>): Whole | undefined {
    if (taken === "missing") this.counts.missedCount += 1;
    else if (taken === "damaged") this.counts.damagedCount += 1;
    else this.counts.takenCount += 1;
    return taken === "missing" || taken === "damaged" ? undefined : taken;
  }

  async #fill(item: FillItem, how: () => Promise<Filled>): Promise<void> {
    if (performance.now() < this.#fullUntilMs) return;
    this.#sweepWhenDue();
    const filled = await how();
    if (filled === "full") this.#rest();
    // That one is lost to the cache; the next are copied.
    if (filled === "elsewhere") this.#canMove = false;
    if (filled !== "kept") return;
    this.#filledSinceSweep += item.sizeBytes;
    this.counts.filledCount += 1;
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

function always(): boolean {
  return true;
}
