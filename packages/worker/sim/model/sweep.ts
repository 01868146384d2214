import { decideBranch } from "../../src/sweep/branch-fate.ts";
import type { Repository } from "./repository.ts";

/** A branch of the model before a sweep. Staging branches of the model are hidden, as Perago makes them. */
export interface SweptBranch {
  readonly name: string;
  readonly head: number;
  /** When its head was made or moved. */
  readonly sinceMs: number;
}

/** What a sweep knows beside the branch. */
export interface Sweeper {
  readonly nowMs: number;
  readonly ttlMs: number;
  /** Whether an execution of the sweeping host holds the branch. */
  readonly isHeld: (name: string) => boolean;
}

/** Whether a sweep removes the branch, by the production predicate (rule X3). */
export function isSwept(repository: Repository, { name, head, sinceMs }: SweptBranch, sweeper: Sweeper): boolean {
  const hasTryCommit = repository.history(head).some(({ metadata }) => metadata["perago.phase"] === "try");
  const closer = { isHidden: true, hasTryCommit };
  const branch = { name, head: repository.commit(head), seenSinceMs: sinceMs, closer };
  return decideBranch({ branch, ...sweeper }).kind === "remove";
}
