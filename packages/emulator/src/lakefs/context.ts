import type { Clock } from "../clock.ts";
import type { Database } from "../store/database.ts";
import type { Blobs } from "./blobs.ts";
import type { LuaRuntime } from "./hooks/lua.ts";
import type { TreeStore } from "./tree/store.ts";

/** What the parts of the lakeFS server share. */
export interface Context {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly lua: LuaRuntime;
  /** The trees of a repository. */
  trees(repository: string): TreeStore;
  /** Lets go of what is remembered of a repository that was deleted. */
  forgetTrees(repository: string): void;
}

/** The server's time in seconds, as records hold it. */
export function nowS(context: Context): number {
  return Math.floor(context.clock.nowMs() / 1000);
}
