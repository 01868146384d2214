import type { ServerPlan } from "./server-plan.ts";

const REQUEST_TIMEOUT_MS = 5_000;

/** One look at a server: whether it answers as a healthy one does. */
export async function isHealthy(plan: Pick<ServerPlan, "healthUrl" | "healthText">): Promise<boolean> {
  try {
    const answer = await fetch(plan.healthUrl, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS), redirect: "error" });
    const text = await answer.text();
    return answer.ok && (plan.healthText === undefined || text.includes(plan.healthText));
  } catch {
    return false;
  }
}
