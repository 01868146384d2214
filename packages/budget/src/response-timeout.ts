import type { PublishBudgetFields } from "./schema.ts";

/**
 * The response timeout in seconds that a publication within the budget needs: merge + completion + grace + heartbeat
 * (45 + 15 + 30 + 10 = 100). The task's own `timeout.responseSeconds` is never changed by it.
 */
export function requiredResponseSeconds(budget: PublishBudgetFields): number {
  return (
    budget.lakefsMergeTimeoutSeconds +
    budget.conductorCompletionTimeoutSeconds +
    budget.workerShutdownGraceSeconds +
    budget.heartbeatIntervalSeconds
  );
}
