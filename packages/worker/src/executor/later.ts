import type { Clock } from "../attempt/ports/clock.ts";

/** A reason made once: the default one of an abort is an error with its stack, each time. */
const CALLED_OFF = "called off";

/** Does something after that time; answers how to call it off. */
export function later(clock: Clock, delayMs: number, action: () => void): () => void {
  const off = new AbortController();
  void clock.wait(delayMs, off.signal).then(() => {
    if (!off.signal.aborted) action();
  });
  return () => off.abort(CALLED_OFF);
}
