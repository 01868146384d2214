/** Why what took too long was given up. Made once: an error of its own for each request would be a stack each. */
export const TIMED_OUT = new Error("no answer in time");

/** The end of the time that one exchange may take, however many requests it is made of. Ended by its maker. */
export class Deadline {
  readonly #timer: NodeJS.Timeout;
  #giveUp: ((reason: Error) => void) | undefined;
  #controller: AbortController | undefined;
  #isOver = false;

  constructor(timeoutMs: number) {
    this.#timer = setTimeout(() => this.#end(), timeoutMs);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The same as a signal, made when it is asked for: most exchanges need none, and it costs more than a timer. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isOver) this.#controller.abort(TIMED_OUT);
    return this.#controller.signal;
  }

  /** Calls `giveUp` when the time is over, at once where it is; only the last one that was given. */
  whenOver(giveUp: (reason: Error) => void): void {
    this.#giveUp = giveUp;
    if (this.#isOver) giveUp(TIMED_OUT);
  }

  /** It is over no more: the answer is there. */
  clear(): void {
    clearTimeout(this.#timer);
  }

  #end(): void {
    this.#isOver = true;
    this.#controller?.abort(TIMED_OUT);
    this.#giveUp?.(TIMED_OUT);
  }
}
