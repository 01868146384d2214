import { setTimeout as pause } from "node:timers/promises";
import type { StackInstance } from "@perago/tools-stack";
import type { ServerName } from "./host.ts";

/** The real servers of the run; at most one is away at a time. */
export interface Servers {
  /** SIGKILL now; the promise inside resolves when the server is healthy again on its data. */
  outage(server: ServerName, downMs: number): Promise<{ readonly over: Promise<void> }>;
  /** Resolves when no server is away. */
  allUp(): Promise<void>;
}

/** Outages over a stack instance. */
export function createServers(stack: StackInstance, onOutage: (server: ServerName, lastedMs: number) => void): Servers {
  let last: Promise<void> = Promise.resolve();
  return {
    async outage(server, downMs) {
      const earlier = last;
      const { promise: mine, resolve, reject } = Promise.withResolvers<void>();
      last = mine;
      mine.catch(() => {});
      await earlier;
      const beganMs = performance.now();
      await stack.kill(server);
      const back = async (): Promise<void> => {
        await pause(downMs);
        await stack.restart(server);
        onOutage(server, performance.now() - beganMs);
      };
      back().then(resolve, reject);
      return { over: mine };
    },
    async allUp() {
      await last;
    },
  };
}
