import {
  PHASE,
  REFERENCE_TASK_NAME,
  RETRY_COUNT,
  TARGET_BRANCH,
  TASK_DEF_NAME,
  TASK_ID,
  WORKFLOW_INSTANCE_ID,
  type FenceCommit,
} from "@perago/fence";
import type { Clock } from "../attempt/ports/clock.ts";
import {
  decideBranch,
  isStagingCommitOf,
  type BranchFate,
  type BranchQuestion,
  type KeepReason,
} from "./branch-fate.ts";
import { STAGING_NAMES, type BranchStore, type NamedBranch } from "./branch-store.ts";
import type { SweepMemory } from "./sweep-memory.ts";

/** Branches that one sweep of a repository looks at; what it removes makes room for the next one (fault K4). */
export const MAX_BRANCHES_PER_SWEEP = 100_000;
/** Between two branches: a sweep asks lakeFS for less than a task does. */
const PAUSE_MS = 10;
/** First parents that are looked through for a staging commit below a head: one page. */
const TRY_WALK_COUNT = 1000;
/** Paths that are named of what a branch holds. */
const NAMED_PATH_COUNT = 10;

/** What a branch held when it was removed (cases L15, W14). Texts are as they were found: other people's words. */
export interface BranchContent {
  /** Fields of the staging commit, where there is one. */
  readonly stagingCommit?: string;
  readonly task?: string;
  readonly referenceTaskName?: string;
  readonly workflowInstanceId?: string;
  readonly taskId?: string;
  readonly retryCount?: string;
  readonly targetBranch?: string;
  /** Changes that nobody had committed; at least so many where there were more than a page. */
  readonly uncommittedCount: number;
  readonly moreUncommitted: boolean;
  /** The first ten. */
  readonly uncommittedPaths: readonly string[];
}

/** One branch of a sweep. */
export interface SweptBranch {
  readonly repository: string;
  readonly name: string;
  readonly commitId: string;
  /** `removing` is told before it happens, so that the trace is there first; `failed` may follow it. */
  readonly outcome: "removing" | "would_remove" | "kept" | "failed";
  readonly why?: KeepReason;
  /** Since its staging commit, or since it was first met where it has none. */
  readonly ageMs?: number;
  readonly content?: BranchContent;
  readonly error?: unknown;
}

/** What one sweep of a repository came to. */
export interface BranchSweepReport {
  readonly removedCount: number;
  readonly keptCount: number;
  readonly failedCount: number;
  /** The bound, or the signal, ended it before the last branch. */
  readonly isCut: boolean;
}

/** What one sweep does. */
export interface BranchSweep {
  readonly store: BranchStore;
  readonly repository: string;
  readonly ttlMs: number;
  /** Whether an execution of this host holds the branch. */
  readonly isHeld: (branchName: string) => boolean;
  readonly memory: Pick<SweepMemory, "seenSinceMs" | "write">;
  /** Looks, removes nothing and remembers nothing. */
  readonly dryRun?: boolean;
  readonly clock: Pick<Clock, "wait">;
  readonly signal?: AbortSignal;
  readonly onBranch: (branch: SweptBranch) => void;
}

/**
 * Sweeps the staging branches of one repository (rule X3). A branch that cannot be looked at or removed is told as
 * `failed` and does not stop it (faults A9, K4, case G06). Throws where lakeFS does not list at all.
 */
export async function sweepBranches(sweep: BranchSweep): Promise<BranchSweepReport> {
  const { store, repository, clock, signal } = sweep;
  const nowMs = await store.nowMs();
  const counts = { removedCount: 0, keptCount: 0, failedCount: 0 };
  const met = new Set<string>();
  let isCut = false;
  for await (const page of store.pages(repository, STAGING_NAMES)) {
    for (const found of page) {
      isCut = signal?.aborted === true || met.size >= MAX_BRANCHES_PER_SWEEP;
      if (isCut) break;
      met.add(found.name);
      const outcome = await sweepOne(sweep, found, nowMs);
      if (outcome === "kept") counts.keptCount += 1;
      else if (outcome === "failed") counts.failedCount += 1;
      else counts.removedCount += 1;
      await clock.wait(PAUSE_MS, signal);
    }
    if (isCut) break;
  }
  if (sweep.dryRun !== true) await sweep.memory.write(repository, isCut ? undefined : met);
  return { ...counts, isCut };
}

async function sweepOne(sweep: BranchSweep, found: NamedBranch, nowMs: number): Promise<SweptBranch["outcome"]> {
  const { repository, onBranch } = sweep;
  const { name, commitId } = found;
  const tell = (outcome: SweptBranch["outcome"], more: Partial<SweptBranch> = {}): SweptBranch["outcome"] => {
    onBranch({ repository, name, commitId, outcome, ...more });
    return outcome;
  };
  try {
    const head = await sweep.store.readCommit(repository, commitId);
    const fate = await fateOf(sweep, name, head, nowMs);
    if (fate.kind !== "remove") return tell("kept", fate.kind === "keep" ? { why: fate.why, ageMs: fate.ageMs } : {});
    const told = { ageMs: fate.ageMs, content: await contentOf(sweep, name, head) };
    if (sweep.dryRun === true) return tell("would_remove", told);
    tell("removing", told);
    await sweep.store.remove(repository, name);
    return "removing";
  } catch (error) {
    return tell("failed", { error });
  }
}

async function fateOf(sweep: BranchSweep, name: string, head: FenceCommit, nowMs: number): Promise<BranchFate> {
  const { store, repository, memory, ttlMs, isHeld } = sweep;
  const since = { repository, branch: name, head: head.id, nowMs };
  const seenSinceMs = isStagingCommitOf(head, name) ? nowMs : memory.seenSinceMs(since);
  const question: BranchQuestion = { branch: { name, head, seenSinceMs }, nowMs, ttlMs, isHeld };
  const fate = decideBranch(question);
  if (fate.kind !== "look_closer") return fate;
  const below = await store.firstParents(repository, head.id, TRY_WALK_COUNT);
  const closer = {
    isHidden: await store.isHidden(repository, name),
    hasTryCommit: below.some(({ metadata }) => metadata[PHASE] === "try"),
  };
  return decideBranch({ ...question, branch: { ...question.branch, closer } });
}

async function contentOf({ store, repository }: BranchSweep, name: string, head: FenceCommit): Promise<BranchContent> {
  const { paths, more } = await store.uncommitted(repository, name);
  const staged = {
    uncommittedCount: paths.length,
    moreUncommitted: more,
    uncommittedPaths: paths.slice(0, NAMED_PATH_COUNT),
  };
  if (!isStagingCommitOf(head, name)) return staged;
  const { metadata } = head;
  const fields = {
    stagingCommit: head.id,
    task: metadata[TASK_DEF_NAME],
    referenceTaskName: metadata[REFERENCE_TASK_NAME],
    workflowInstanceId: metadata[WORKFLOW_INSTANCE_ID],
    taskId: metadata[TASK_ID],
    retryCount: metadata[RETRY_COUNT],
    targetBranch: metadata[TARGET_BRANCH],
  };
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(present), ...staged };
}
