import type { ChildProcess } from "node:child_process";
import type { Clock } from "../attempt/ports/clock.ts";
import { DRAIN_STDERR_TIMEOUT_MS, DRAIN_TIMEOUT_MS } from "./limits.ts";

/** How a process ended; both null where it never started. */
export interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/**
 * Resolves when the process is gone and its last words have arrived. A result may still be in the channel then (case
 * S01): "disconnect" comes after the last message. The end of stderr is waited for only shortly, because a process that
 * inherited it may hold it open.
 */
export async function untilExit(child: ChildProcess, clock: Clock): Promise<Exit> {
  const spawned = Promise.withResolvers<Exit | undefined>();
  if (child.pid !== undefined) spawned.resolve(undefined);
  else child.once("error", () => spawned.resolve({ exitCode: null, signal: null }));
  const exit = new Promise<Exit>((resolve) => {
    child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
  });
  const disconnected = new Promise<void>((resolve) => {
    child.once("disconnect", () => resolve());
  });
  const silent = new Promise<void>((resolve) => {
    if (child.stderr === null) resolve();
    else child.stderr.once("close", () => resolve());
  });
  const failed = await spawned.promise;
  if (failed !== undefined) return failed;
  const ended = await exit;
  const stop = new AbortController();
  const drained = Promise.all([disconnected, Promise.race([silent, clock.wait(DRAIN_STDERR_TIMEOUT_MS, stop.signal)])]);
  await Promise.race([drained, clock.wait(DRAIN_TIMEOUT_MS, stop.signal)]);
  stop.abort();
  return ended;
}
