import type { ConductorHttp } from "./http.ts";
import type { LeaseServer } from "./lease.ts";
import { readTask } from "./read.ts";
import { sendHeartbeat } from "./report.ts";

/** The engine as a lease needs it. */
export function createLeaseServer(http: ConductorHttp): LeaseServer {
  return {
    heartbeat: async (held, timeoutMs) => await sendHeartbeat(http, held, timeoutMs),
    read: async (taskId, timeoutMs) => await readTask(http, taskId, timeoutMs),
  };
}
