import type { FillItem } from "./fill-content.ts";

/** Longest wait for a workspace's fillings when its folder is about to go: some 300,000 small files on an idle disk. */
const settleTimeoutMs = 30_000;
/** Time between two looks whether there is room for spare work. */
const lookEveryMs = 50;

/** Fills with one item; `pause` is awaited between pieces of work. */
export type Fill = (item: FillItem, pause: () => Promise<void>) => Promise<void>;

/** What a queue is made of. */
export interface FillQueueParts {
  readonly fill: Fill;
  /** Lets waiting messages in. */
  readonly pause: () => Promise<void>;
  /** Whether there is nothing better to do; asked between pieces of work. */
  readonly isIdle: () => boolean;
}

interface Source {
  readonly workspaceId: number;
  readonly items: Iterator<FillItem>;
}

/**
 * Fills a cache while a sync worker has nothing else to do: one file after the other, with a look at waiting messages
 * between two. What is left when a workspace's folder is about to go is the business of `settle`.
 */
export class FillQueue {
  readonly #parts: FillQueueParts;
  #sources: Source[] = [];
  /** The item that is being filled in spare time, and whose it is. */
  #current: { readonly workspaceId: number; readonly ended: Promise<void> } | undefined;
  readonly #settling = new Set<number>();
  #isRunning = false;

  constructor(parts: FillQueueParts) {
    this.#parts = parts;
  }

  /** Takes the items one at a time, when their turn comes. */
  add(workspaceId: number, items: Iterable<FillItem>): void {
    this.#sources.push({ workspaceId, items: items[Symbol.iterator]() });
    if (!this.#isRunning) void this.#run();
  }

  /** Fills with what is left of a workspace's items, for 30 s at most; what is left then is dropped. */
  async settle(workspaceId: number, fill: Fill): Promise<void> {
    const endMs = performance.now() + settleTimeoutMs;
    const own = this.#sources.filter((source) => source.workspaceId === workspaceId);
    this.#sources = this.#sources.filter((source) => source.workspaceId !== workspaceId);
    this.#settling.add(workspaceId);
    if (this.#current?.workspaceId === workspaceId) await this.#current.ended;
    for (const { items } of own) {
      for (let next = items.next(); next.done !== true && performance.now() < endMs; next = items.next()) {
        await fill(next.value, this.#parts.pause);
        await this.#parts.pause();
      }
    }
    this.#settling.delete(workspaceId);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    const { fill, pause } = this.#parts;
    await pause();
    for (let source = this.#sources[0]; source !== undefined; source = this.#sources[0]) {
      const { workspaceId, items } = source;
      if (!this.#mayGoOn(workspaceId)) {
        await wait();
        continue;
      }
      const next = items.next();
      if (next.done === true) {
        this.#sources = this.#sources.filter((each) => each !== source);
      } else {
        const ended = fill(next.value, () => this.#turn(workspaceId));
        this.#current = { workspaceId, ended };
        await ended;
        this.#current = undefined;
      }
      await pause();
    }
    this.#isRunning = false;
  }

  #mayGoOn(workspaceId: number): boolean {
    return this.#settling.has(workspaceId) || this.#parts.isIdle();
  }

  /** Between two pieces of one item. */
  async #turn(workspaceId: number): Promise<void> {
    await this.#parts.pause();
    while (!this.#mayGoOn(workspaceId)) await wait();
  }
}

function wait(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, lookEveryMs);
  });
}
