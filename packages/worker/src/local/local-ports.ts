import { listFolder } from "@perago/lakefs-sync";
import { evaluateGuardrails } from "@perago/taskdef";
import type { AttemptSource, Lease, PolledTask, Report } from "../attempt/ports/attempt-source.ts";
import type { TargetStore } from "../attempt/ports/target-store.ts";
import type { ProjectionSummary, Workspace } from "../attempt/ports/workspace.ts";
import type { TaskDescription } from "../tasks/description.ts";
import { asSyncAttempt } from "../workspace/sync-failure.ts";

/** Stands where no server gives a name: repository, branch and ids of a local run. */
export const LOCAL_NAME = "local";
/** The input ref of a local run. */
export const LOCAL_REF = "0".repeat(64);

/** The engine of a local run: it has handed the task out once, and takes whatever is reported. */
export function localSource(polled: PolledTask): AttemptSource {
  let reported: Report | undefined;
  return {
    read: () =>
      Promise.resolve({
        ...polled,
        status: reported?.status ?? "IN_PROGRESS",
        hasResult: reported?.outputJson !== undefined,
        outputRef: LOCAL_REF,
      }),
    report: (report) => {
      reported = report;
      return Promise.resolve();
    },
  };
}

/** A lease that never ends. */
export const localLease: Lease = {
  deadlineMs: () => Number.MAX_SAFE_INTEGER,
  extend: () => Promise.resolve(),
  stop: () => Promise.resolve({ unanswered: false }),
};

/** No store: the order of a read-only attempt asks only for the commit behind a ref. */
export function localStore(): TargetStore {
  const none = (): Promise<never> => Promise.reject(new Error("a local run has no store"));
  return {
    resolveCommit: (_repository, ref) => Promise.resolve(ref),
    readRange: none,
    readHardFence: none,
    readCommit: none,
    listBranches: none,
    createStagingBranch: none,
    commitStaging: none,
    merge: none,
    deleteStagingBranch: none,
  };
}

/**
 * The folder as it stands, judged by the task's guardrails before and after the body (rule T3). It is never removed.
 */
export function localWorkspace(
  folder: string,
  { prefix, pre, post }: Required<TaskDescription>["workspace"],
): Workspace {
  const none = (): Promise<never> => Promise.reject(new Error("a local run stages nothing"));
  const list = (): Promise<string[]> => asSyncAttempt(Promise.resolve().then(() => listFolder(folder, prefix)));
  return {
    syncIn: async () => ({ path: folder, fileCount: (await list()).length }),
    checkPre: async () => evaluateGuardrails(pre, await list()).map(({ message }) => message),
    async project(): Promise<ProjectionSummary> {
      const paths = await list();
      const violations = evaluateGuardrails(post, paths).map(({ message }) => message);
      return { unchanged: false, fileCount: paths.length, uploadCount: 0, deleteCount: 0, violations };
    },
    equalsCommit: none,
    stage: none,
    verifyStaging: none,
    remove: () => Promise.resolve(),
  };
}
