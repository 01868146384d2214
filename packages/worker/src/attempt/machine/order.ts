import type { FenceCommit } from "@perago/fence";
import type { Report, TaskRead } from "../ports/attempt-source.ts";
import type { BodyOutcome, BodyRequest } from "../ports/executor.ts";
import type { CommitRange, HardFenceReading, MergeOutcome, MergeRequest } from "../ports/target-store.ts";
import type { ProjectionSummary } from "../ports/workspace.ts";

/**
 * The order of one attempt, on one page. Each line is a phase: what it asks of the world, and what it gets back.
 * A phase asks exactly one thing; `step.ts` names the file that decides what follows.
 *
 *   workspace-free   run (which validates first), report
 *   read-only        validate, resolve, sync in, pre guardrails, run, [project], report (rule R1)
 *   writable         all of it, except where a rule ends it early
 */
export interface Order {
  // Input, and the early fence (rules I1-I6, P5)
  validate: Ask<{ inputData: unknown }, { ok: true } | { ok: false; message: string }>;
  resolve: Ask<{ repository: string; ref: string }, string>;
  fenceEarly: Ask<ReadRange, CommitRange>;
  // Try: folder and body (rules T1-T3, T8)
  syncIn: Ask<{ repository: string; commitId: string; prefix: string }, { path: string; fileCount: number }>;
  checkPre: Ask<Nothing, readonly string[]>;
  run: Ask<BodyRequest & { endAtMs?: number }, BodyOutcome>;
  // The staging branch is begun, and nobody waits for it yet (rule T1)
  openStaging: Ask<StagingBranch, void>;
  seal: Ask<Nothing, void>;
  project: Ask<Nothing, ProjectionSummary>;
  // First fences: attempt, then the base of the staging branch (rules A2, P5)
  checkAttempt: Ask<ReadTask, TaskRead | null>;
  fenceBase: Ask<ReadRange, CommitRange>;
  compareOwn: Ask<{ commitId: string }, boolean>;
  listStaging: Ask<{ repository: string; namePrefix: string }, readonly string[]>;
  // Staging (rules T4-T13)
  discardStaging: Ask<{ repository: string; branch: string }, void>;
  createStaging: Ask<StagingBranch, void>;
  stage: Ask<{ branch: string; base: string }, { uploadCount: number; deleteCount: number }>;
  commitStaging: Ask<CommitStaging, string>;
  verifyStaging: Ask<{ base: string; stagingCommit: string }, void>;
  // Which fence holds at the merge: lakeFS takes actions from the source (rule H3)
  verifyHardFence: Ask<{ repository: string; branch: string; commitId: string }, HardFenceReading>;
  // Confirm: pin the head, check the attempt, merge, and look at what was made (rules P5, A2, C1-C9)
  pinHead: Ask<ReadRange, CommitRange>;
  recheckAttempt: Ask<ReadTask, TaskRead | null>;
  extendLease: Ask<Nothing, void>;
  merge: Ask<MergeRequest & { sendBeforeMs: number }, MergeOutcome | { kind: "too_late" }>;
  pauseMerge: Ask<{ delayMs: number }, void>;
  readPublished: Ask<{ repository: string; commitId: string }, FenceCommit>;
  readHistory: Ask<ReadRange, CommitRange>;
  // Report (rules R4, R6, R8)
  stopLease: Ask<Nothing, { unanswered: boolean }>;
  readForReport: Ask<ReadTask, TaskRead | null>;
  report: Ask<Report & { timeoutMs: number }, void>;
  pauseReport: Ask<{ delayMs: number }, void>;
  readBack: Ask<ReadTask, TaskRead | null>;
  pauseReadBack: Ask<{ delayMs: number }, void>;
  // Cancel (rules X1, X2)
  deleteStaging: Ask<{ repository: string; branch: string }, void>;
  removeFolder: Ask<Nothing, void>;
  releaseExecutor: Ask<Nothing, void>;
}

/** The name of a phase. */
export type PhaseName = keyof Order;

interface Ask<Args, Answer> {
  readonly args: Args;
  readonly answer: Answer;
}

type Nothing = Readonly<Record<never, never>>;

interface ReadRange {
  readonly repository: string;
  readonly branch: string;
  readonly stopAt: string;
  readonly maxCommits: number;
  /** Whether the head's hard fence is read beside its log (rule H2). */
  readonly withHardFence: boolean;
}

interface ReadTask {
  readonly taskId: string;
}

/** A staging branch, and the commit that it was made from. */
export interface StagingBranch {
  readonly repository: string;
  readonly branch: string;
  readonly base: string;
}

interface CommitStaging {
  readonly repository: string;
  readonly branch: string;
  readonly base: string;
  readonly message: string;
  readonly metadata: Readonly<Record<string, string>>;
}
