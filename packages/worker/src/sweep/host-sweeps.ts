import { LakefsError } from "@perago/lakefs-sync";
import type { Clock } from "../attempt/ports/clock.ts";
import type { TargetStore } from "../attempt/ports/target-store.ts";
import type { Counters } from "../telemetry/counters.ts";
import type { Log } from "../telemetry/log.ts";
import type { BranchStore } from "./branch-store.ts";
import { sweepBranches, type SweptBranch } from "./sweep-branches.ts";
import type { SweepMemory } from "./sweep-memory.ts";

/** What a host's own sweeps of staging branches run on. */
export interface HostSweeps {
  readonly store: BranchStore;
  readonly memory: SweepMemory;
  readonly ttlMs: number;
  readonly intervalMs: number;
  /** Ids of the executions that run now. */
  readonly held: ReadonlySet<string>;
  readonly clock: Clock;
  readonly log: Log;
  readonly counters: Counters;
  readonly signal: AbortSignal;
}

/**
 * The host's own sweeps (rule X3): of all repositories in which it has made staging branches, at once and then at every
 * interval until the signal fires. Never throws; what fails is told once, and tried again at the next sweep (case G06).
 */
export async function runBranchSweeps(sweeps: HostSweeps): Promise<void> {
  const { memory, clock, intervalMs, signal } = sweeps;
  const warn = warnOnce(sweeps.log);
  while (!signal.aborted) {
    for (const repository of memory.repositories()) {
      if (!signal.aborted) await sweepRepository(sweeps, repository, warn);
    }
    await clock.wait(intervalMs, signal);
  }
}

/** The same store; each repository in which a staging branch is made is remembered for the sweeps. */
export function rememberingStore(store: TargetStore, memory: SweepMemory, log: Log): TargetStore {
  return {
    ...store,
    createStagingBranch(repository, branch, base) {
      memory.remember(repository).catch((error: unknown) => {
        log.warn("the repository is not remembered for the sweeps of later hosts", { repository, error });
      });
      return store.createStagingBranch(repository, branch, base);
    },
  };
}

type Warn = (what: string, message: string, fields: Readonly<Record<string, unknown>>) => void;

/** A hook that refuses every deletion would say so for every branch at every sweep. */
function warnOnce(log: Log): Warn {
  const warned = new Set<string>();
  return (what, message, fields) => {
    if (warned.has(what)) return;
    warned.add(what);
    log.warn(message, fields);
  };
}

async function sweepRepository(sweeps: HostSweeps, repository: string, warn: Warn): Promise<void> {
  const { held, log, counters, signal, memory } = sweeps;
  const isHeld = (name: string): boolean => [...held].some((executionId) => name.endsWith(`-${executionId}`));
  const onBranch = (branch: SweptBranch): void => {
    if (branch.outcome === "removing") {
      counters.increment("branch_swept");
      const { name, ageMs, content } = branch;
      log.info("an abandoned staging branch is removed", { repository, branch: name, ageMs, ...content });
    }
    if (branch.outcome === "failed" && !signal.aborted) {
      counters.increment("branch_sweep_failed");
      const fields = { repository, branch: branch.name, error: branch.error };
      warn(branch.name, "an abandoned staging branch could not be removed", fields);
    }
  };
  try {
    await sweepBranches({ ...sweeps, repository, isHeld, onBranch });
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof LakefsError && error.code === "not_found") return forget(memory, repository, log);
    warn(repository, "the staging branches of a repository could not be swept", { repository, error });
  }
}

async function forget(memory: SweepMemory, repository: string, log: Log): Promise<void> {
  log.info("a repository is gone, and not swept any more", { repository });
  await memory.forget(repository).catch(() => undefined);
}
