import type { Worker } from "node:worker_threads";

/** Watches what a body leaves running in its own process (rule T8). */
export interface LeftoverWatch {
  /** Takes what is there now as the baseline. */
  begin(): void;
  /** Kinds of resources beyond the baseline, e.g. `Timeout`, `FSReqPromise`, `Worker`. */
  extra(): string[];
}

/**
 * Compares `process.getActiveResourcesInfo()` with the baseline. Worker threads are not in it (tried), so they are
 * counted apart. Timers that were unref'ed are in neither: the change check of staging remains for those.
 */
export function watchLeftovers(): LeftoverWatch {
  const threads = new Set<Worker>();
  process.on("worker", (thread) => {
    threads.add(thread);
    thread.once("exit", () => threads.delete(thread));
  });
  const current = (): string[] => [...process.getActiveResourcesInfo(), ...[...threads].map(() => "Worker")];
  let baseline: readonly string[] = current();
  return {
    begin: () => {
      baseline = current();
    },
    extra: () => {
      const known = [...baseline];
      return current().filter((kind) => {
        const at = known.indexOf(kind);
        if (at >= 0) known.splice(at, 1);
        return at < 0;
      });
    },
  };
}
