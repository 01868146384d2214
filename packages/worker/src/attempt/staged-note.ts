import type { AttemptPorts } from "./driver.ts";

/** What an execution had put on its staging branch when it ended (cases L15, W14). */
export interface StagedNote {
  readonly branch: string;
  readonly uploadCount?: number;
  readonly deleteCount?: number;
  readonly stagingCommit?: string;
}

/** The same ports; what they stage is noted, so that a failed attempt's log says what goes with its branch. */
export function notingStaged(ports: AttemptPorts): {
  readonly ports: AttemptPorts;
  readonly staged: () => StagedNote | undefined;
} {
  const { store, workspace } = ports;
  if (store === undefined || workspace === undefined) return { ports, staged: () => undefined };
  let note: StagedNote | undefined;
  const noting: AttemptPorts = {
    ...ports,
    store: {
      ...store,
      async createStagingBranch(repository, branch, base) {
        note = { branch };
        await store.createStagingBranch(repository, branch, base);
      },
      async commitStaging(request) {
        const stagingCommit = await store.commitStaging(request);
        note = { branch: request.branch, ...note, stagingCommit };
        return stagingCommit;
      },
    },
    workspace: {
      ...workspace,
      async stage(request) {
        const staged = await workspace.stage(request);
        note = { branch: request.branch, ...staged };
        return staged;
      },
    },
  };
  return { ports: noting, staged: () => note };
}
