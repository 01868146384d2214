import type { Failure } from "../../failure.ts";
import type { ProjectionSummary } from "../ports/workspace.ts";
import type { AttemptFacts } from "./facts.ts";
import type { Order, PhaseName, StagingBranch } from "./order.ts";

/** How an attempt ends, decided before anything is reported. */
export type Outcome =
  | {
      readonly kind: "completed";
      readonly by: "commit" | "adoption" | "no_op" | "read_only" | "workspace_free";
      /** The published commit or the input ref; nothing for a workspace-free task (rule I2). */
      readonly ref?: string;
      readonly outputJson: string;
    }
  | { readonly kind: "failed"; readonly failure: Failure }
  /** Another execution holds the attempt: nothing is reported (rule A3). */
  | { readonly kind: "silent"; readonly reason: string };

/** What cleanup must undo, and what a later read must look for. It is here and nowhere else. */
export interface Owned {
  readonly folder: boolean;
  readonly staging?: StagingBranch;
  /** Set once a merge was sent: from then on the history is read before any failure (rule C5). */
  readonly merge?: SentMerge;
}

/** Which fence stands between the pinned head and the merge (rules H1, H2). */
export type FenceHeld = "hard" | "soft";

/** A merge that was sent. */
export interface SentMerge {
  readonly stagingCommit: string;
  readonly expectedHead: string;
  readonly fence: FenceHeld;
}

/** Known in every phase. */
export interface Common {
  readonly facts: AttemptFacts;
  readonly owned: Owned;
  /**
   * The first signal from outside; it stops the attempt before and in the body, later phases are held by the fences.
   */
  readonly signal?: Signal;
}

/** What somebody outside the attempt says: the lease, the clock or the host. */
export interface Signal {
  readonly kind: "attempt_lost" | "body_timeout" | "shutdown";
  readonly reason: string;
}

/** The parsed workspace input; `ref` is the full commit id from `resolve` on (rule I4). */
export interface WorkspaceInput {
  readonly repository: string;
  readonly branch: string;
  readonly ref: string;
}

type WithInput = Common & { readonly input: WorkspaceInput };
/** The head that the early fence accepted, which is most likely what staging starts from (rules P5, T4). */
type Early = { readonly earlyHead?: string };
type WithFolder = WithInput & Early & { readonly path: string };
/** A workspace-free attempt has neither input nor folder here. */
type Running = Common & Early & { readonly input?: WorkspaceInput; readonly path?: string };
/** The body has ended. */
type Ended = Running & { readonly body: { readonly resultJson: string } | { readonly outcome: Outcome } };
/** The body has returned. */
export type Returned = Running & { readonly resultJson: string };
type Written = WithFolder & { readonly resultJson: string };
type Projected = Written & { readonly projection: ProjectionSummary };
/** `base` is the head that the publish fence accepted before staging (rules T4, P5). */
export type Based = Projected & { readonly base: string; readonly supersedes: string };
type Staging = Based & { readonly branch: string };
/** The staging commit is there. */
export type Staged = Staging & { readonly stagingCommit: string };
/**
 * The loop at the end: rounds are bounded, and the budget of the merge counts from the first one sent (rules C4, C8).
 */
export type Confirming = Based & {
  readonly round: number;
  readonly mergeUntilMs?: number;
  /** Absent for a no-op, which pins and checks but does not merge (rule R2). */
  readonly staged?: ReadyToMerge;
};
interface ReadyToMerge {
  readonly branch: string;
  readonly stagingCommit: string;
  readonly fence: FenceHeld;
}
type Merging = Confirming & { readonly staged: ReadyToMerge };
type Looking = Common & {
  readonly input: WorkspaceInput;
  readonly resultJson: string;
  readonly merge: SentMerge;
};
/** The outcome is decided. */
export type Ending = Common & { readonly outcome: Outcome };
/** The result is on its way to the engine. */
export type Reporting = Ending & { readonly unanswered: boolean; readonly lateReadBacks: number };
/** What became of the result is known, as far as it can be. */
export type Closing = Ending & { readonly reported: "accepted" | "dropped" | "not_sent" | "undelivered" };

/** What each phase knows. A phase cannot be entered without it. */
export interface Knows {
  validate: WithInput;
  resolve: WithInput;
  fenceEarly: WithInput;
  syncIn: WithInput & Early;
  checkPre: WithFolder;
  run: Running;
  openStaging: Ended & { readonly opening: StagingBranch };
  seal: Ended;
  project: Written;
  checkAttempt: Projected;
  fenceBase: Projected;
  compareOwn: Projected & { readonly own: string; readonly refusal: Failure };
  listStaging: Based;
  discardStaging: Based & { readonly opened: StagingBranch };
  createStaging: Staging;
  stage: Staging;
  commitStaging: Staging & { readonly metadata: Readonly<Record<string, string>> };
  verifyStaging: Staged;
  verifyHardFence: Staged;
  pinHead: Confirming;
  recheckAttempt: Confirming & { readonly adopt?: string };
  extendLease: Confirming;
  merge: Merging & { readonly sendBeforeMs: number; readonly timeoutMs: number };
  pauseMerge: Confirming & { readonly delayMs: number };
  readPublished: Looking & { readonly commitId: string };
  readHistory: Looking & {
    readonly pending: Outcome;
    /** What was last heard of the merge: it may have landed, was not performed for now, or was refused. */
    readonly answer: "unknown" | "busy" | "refused";
  };
  stopLease: Ending;
  readForReport: Reporting;
  report: Reporting;
  pauseReport: Reporting;
  readBack: Reporting;
  pauseReadBack: Reporting;
  deleteStaging: Closing;
  removeFolder: Closing;
  releaseExecutor: Closing;
}

/** The state of an attempt in one phase, or in any. */
export type State<P extends PhaseName = PhaseName> = { [Q in P]: { readonly phase: Q } & Knows[Q] }[P];
/** The end. */
export type Done = Closing & { readonly phase: "done" };
/** Every state, the end too. */
export type AnyState = State | Done;

/** One reading of the monotonic clock and of the lease's deadline, taken when the event happened. */
export interface ClockReading {
  readonly nowMs: number;
  readonly leaseDeadlineMs: number;
}

/** A phase got its answer. */
export interface Answered<P extends PhaseName> {
  readonly type: "answered";
  readonly phase: P;
  readonly answer: Order[P]["answer"];
  readonly clock: ClockReading;
}

/** A phase could not be answered. */
export interface Refused<P extends PhaseName> {
  readonly type: "refused";
  readonly phase: P;
  readonly failure: Failure;
  readonly clock: ClockReading;
}

/** What happened: the phase's one question was answered, or could not be, or somebody outside said something. */
export type Event<P extends PhaseName = PhaseName> =
  | Answered<P>
  | Refused<P>
  | { readonly type: "signalled"; readonly signal: Signal };

/** What is counted and logged loudly (rules C6, H2, P10, R6, R8, X1). */
export interface Note {
  readonly name:
    | "publish_race"
    | "soft_fence"
    | "result_not_ours"
    | "result_dropped"
    | "result_undelivered"
    | "cleanup_failed";
  readonly message: string;
}

/** What the driver is to do after a step. */
export type Effect =
  /** Ask the phase's question (`question` of step.ts). */
  | { readonly do: "ask"; readonly phase: PhaseName }
  | { readonly do: "cancel_body"; readonly signal: Signal }
  | { readonly do: "note"; readonly note: Note };

/** What a phase decides: the next state, and what is to be noted on the way. */
export interface Decision {
  readonly next: AnyState;
  readonly notes?: readonly Note[] | undefined;
}

/** One phase: what it asks, and what its answer leads to. Without `refused` a refusal fails the attempt. */
export interface Phase<P extends PhaseName> {
  ask(state: State<P>): Order[P]["args"];
  answered(state: State<P>, answer: Order[P]["answer"], clock: ClockReading): Decision;
  refused?(state: State<P>, failure: Failure, clock: ClockReading): Decision;
}
