import type { Order } from "./machine/order.ts";
import type { TargetStore } from "./ports/target-store.ts";

/** Makes and removes the staging branches of one execution, one at a time. */
export interface StagingBranches {
  /** Begins to make a branch. Never fails: what comes of it is heard from `made`. */
  open(asked: Order["openStaging"]["args"]): Promise<void>;
  /** Resolves when the branch is there: one that was begun is waited for, another one is made now. */
  made(asked: Order["createStaging"]["args"]): Promise<void>;
  /** Removes a branch, but not before what was begun has ended: a request on its way would make it again. */
  remove(asked: Order["deleteStaging"]["args"]): Promise<void>;
}

/** Rule T1, over the store; a branch can be on its way while the attempt does something else. */
export function stagingBranches(store: () => TargetStore): StagingBranches {
  let begun: { readonly branch: string; readonly ended: Promise<void> } | undefined;
  const make = ({ repository, branch, base }: Order["createStaging"]["args"]): Promise<void> =>
    store().createStagingBranch(repository, branch, base);
  return {
    open(asked) {
      begun = { branch: asked.branch, ended: make(asked) };
      // Heard again where the branch is needed; nobody may need it.
      begun.ended.catch(() => undefined);
      return Promise.resolve();
    },
    made: (asked) => (begun?.branch === asked.branch ? begun.ended : make(asked)),
    async remove({ repository, branch }) {
      await begun?.ended.catch(() => undefined);
      await store().deleteStagingBranch(repository, branch);
    },
  };
}
