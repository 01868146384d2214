import type { FillItem } from "./fill-content.ts";

/** Longest wait for a workspace's fillings when its folder is about to go: some 300,000 small files on an idle disk. */
const settleTimeoutMs = 30_000;

interface Source {
  readonly workspaceId: number;
  readonly items: Iterator<FillItem>;
}

/**
 * Fills a cache beside everything else that a sync worker does: one file after the other, with a look at waiting
 * messages between two. A workspace's folder must not go before `settle` has ended.
 */
export class FillQueue {
  readonly #fill: (item: FillItem) => Promise<void>;
  readonly #pause: () => Promise<void>;
  #sources: Source[] = [];
  #isRunning = false;

  constructor(fill: (item: FillItem) => Promise<void>, pause: () => Promise<void>) {
    this.#fill = fill;
    this.#pause = pause;
  }

  /** Takes the items one at a time, when their turn comes. */
  add(workspaceId: number, items: Iterable<FillItem>): void {
    this.#sources.push({ workspaceId, items: items[Symbol.iterator]() });
    if (!this.#isRunning) void this.#run();
  }

  /** Waits until a workspace's items are done, 30 s at most; what is left then is dropped. */
  async settle(workspaceId: number): Promise<void> {
    const endMs = performance.now() + settleTimeoutMs;
    while (this.#sources.some((source) => source.workspaceId === workspaceId)) {
      if (performance.now() > endMs) this.#sources = this.#sources.filter((each) => each.workspaceId !== workspaceId);
      await this.#pause();
    }
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    await this.#pause();
    for (let source = this.#sources[0]; source !== undefined; source = this.#sources[0]) {
      const next = source.items.next();
      if (next.done === true) this.#sources = this.#sources.filter((each) => each !== source);
      else await this.#fill(next.value);
      await this.#pause();
    }
    this.#isRunning = false;
  }
}
