import type { Context } from "../context.ts";
import { LakefsError } from "../errors.ts";
import type { HookRecord } from "../hooks/events.ts";
import { runHooks } from "../hooks/run-hooks.ts";
import { newRunId } from "../hooks/runs.ts";
import type { Repository } from "../model.ts";

/** What an event's hooks are told, besides the run's id. */
export type HookEvent = Omit<HookRecord, "runId" | "preRunId" | "repository" | "storageNamespace"> & {
  readonly repository: Repository;
  readonly preRunId?: string;
};

/** Runs an event's hooks; the run's id. On a read-only repository none run. Throws where one refuses. */
export function runEvent(context: Context, event: HookEvent): string {
  const { repository, preRunId, ...rest } = event;
  if (repository.readOnly) return "";
  const runId = newRunId(context);
  const { name, storageNamespace } = repository;
  runHooks(context, { ...rest, repository: name, storageNamespace, runId, preRunId: preRunId ?? "" });
  return runId;
}

/** Runs hooks whose failure changes nothing any more. */
export function runAfter(context: Context, event: HookEvent): void {
  try {
    runEvent(context, event);
  } catch {
    // The event has happened; the run's record says what failed.
  }
}

/**
 * One step of a branch that hooks may refuse, in one transaction. What was written before a refusal stays written (a
 * refused merge leaves its commit record behind, as on the real server); `work` must not move the branch before its
 * hooks have passed.
 */
export function guarded<T>(context: Context, work: () => T): T {
  const outcome = context.db.transaction((): { value: T } | { error: unknown } => {
    try {
      return { value: work() };
    } catch (error) {
      // Only refusals keep what was written; any other error undoes it.
      if (error instanceof LakefsError) return { error };
      throw error;
    }
  });
  if ("error" in outcome) throw outcome.error;
  return outcome.value;
}
