/** Test controls for what only a dying or slow server does. */
export class ConductorControls {
  /**
   * How long a heartbeat waits between reading the task and writing it back, milliseconds (fault C7). Default 0: one
   * turn of the event loop.
   */
  heartbeatGapMs = 0;
  #lost = 0;

  /**
   * The acknowledgements of the next `count` tasks that are handed out get lost: the same tasks come again after about
   * 60 s (fault C5).
   */
  loseAcknowledgements(count: number): void {
    this.#lost = count;
  }

  /** Is this acknowledgement one that gets lost? Counts it. */
  loseAcknowledgement(): boolean {
    if (this.#lost <= 0) return false;
    this.#lost -= 1;
    return true;
  }
}
