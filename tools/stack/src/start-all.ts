import type { InstanceLayout, ServerName } from "./layout.ts";
import type { PidState } from "./pid-file.ts";
import type { ServerPlan } from "./server-plan.ts";
import { startServer, stopServer, waitHealthy } from "./supervise.ts";

/** How both servers were found. */
export type Running = Readonly<Record<ServerName, PidState>>;

/** What is to be started, and beside what. */
export interface StartRequest {
  readonly layout: InstanceLayout;
  readonly plans: readonly ServerPlan[];
  readonly running: Running;
  readonly secrets: readonly string[];
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  readonly stopTimeoutMs: number | undefined;
}

/**
 * Starts those that do not run and waits until all are healthy. Where that fails, or the signal comes, whatever this
 * call started is stopped again, so that the next `up` meets a clean state.
 */
export async function startAll(request: StartRequest): Promise<void> {
  const { layout, plans, running, secrets, say } = request;
  const missing = plans.filter(({ server }) => running[server].state !== "running");
  // The failure of one ends the wait for the other.
  const failure = new AbortController();
  const signal = AbortSignal.any([request.signal, failure.signal]);
  try {
    const watches = [];
    for (const plan of plans) {
      const record = running[plan.server].record ?? (await startServer(layout, plan));
      watches.push({ layout, plan, record, secrets, signal });
    }
    await Promise.all(
      watches.map(async (watch) => {
        await waitHealthy(watch);
        if (missing.includes(watch.plan)) say(`${watch.plan.title} is healthy`);
      }),
    );
  } catch (error) {
    failure.abort();
    for (const { server } of missing) await stopServer(layout, server, request.stopTimeoutMs);
    throw error;
  }
}
