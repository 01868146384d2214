import type { JobContext } from "../src/transfer/context.ts";
import { clientTo, fastClock } from "./fake-http.ts";

/** A job's context against a fake server. */
export function contextTo(endpoint: string, signal: AbortSignal = new AbortController().signal): JobContext {
  return { client: clientTo(endpoint, { clock: fastClock() }), signal, slotCount: 4, report: () => undefined };
}
