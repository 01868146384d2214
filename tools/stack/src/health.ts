import type { HealthCheck } from "./server-plan.ts";

const REQUEST_TIMEOUT_MS = 5_000;

/** One look at a server: whether it answers as a healthy one does. */
export async function isHealthy({ url, text }: HealthCheck): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS), redirect: "error" });
    return (await answer.text()).includes(text) && answer.ok;
  } catch {
    return false;
  }
}
