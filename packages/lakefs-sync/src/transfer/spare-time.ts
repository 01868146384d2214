/** Without a job for this long a thread is quiet: between the jobs of an attempt other work would be in their way. */
const quietAfterMs = 500;

/** When a sync thread has nothing better to do than to prepare for what may come. */
export class SpareTime {
  readonly #onSpare: () => void;
  #runningCount = 0;
  #lastEndMs = performance.now();
  #timer: NodeJS.Timeout;

  /** `onSpare` is called when the last job has ended, and when it has been quiet since. */
  constructor(onSpare: () => void) {
    this.#onSpare = onSpare;
    this.#timer = this.#later();
  }

  /** No job runs. */
  get isFree(): boolean {
    return this.#runningCount === 0;
  }

  /** No job runs, and none did for half a second. */
  get isQuiet(): boolean {
    return this.isFree && performance.now() - this.#lastEndMs >= quietAfterMs;
  }

  begin(): void {
    this.#runningCount += 1;
  }

  end(): void {
    this.#runningCount -= 1;
    this.#lastEndMs = performance.now();
    clearTimeout(this.#timer);
    this.#timer = this.#later();
    if (this.isFree) this.#onSpare();
  }

  #later(): NodeJS.Timeout {
    // A timer may be early by a part of a millisecond.
    return setTimeout(this.#onSpare, quietAfterMs + 1);
  }
}
