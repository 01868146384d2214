import type { PhaseName } from "../../src/attempt/machine/order.ts";
import { broken, TAKING } from "../invariants/attempt.ts";
import type { Completion, Invariant } from "../invariants/facts.ts";
import { LANDING } from "../invariants/landing.ts";
import { takeReport, taskOf, type Engine, type EngineReport, type EngineRules, type Task } from "../model/engine.ts";
import { startWorkflow } from "../model/engine.ts";
import { Repository, type ModelCommit } from "../model/repository.ts";
import { ACTION, firstTree, PREFIX, type Tree } from "../model/trees.ts";
import type { Fates } from "./fate.ts";
import type { Scenario } from "./scenario.ts";
import { Scheduler } from "./scheduler.ts";

/** A branch that is not the target. */
export interface StagingBranch {
  readonly base: number;
  head: number;
  /** Uncommitted content. */
  tree: Tree;
  /** When its head was made or moved, milliseconds. */
  sinceMs: number;
  readonly by: Run;
}

/** What the simulation knows of one execution. */
export interface Run {
  readonly index: number;
  readonly name: string;
  readonly task: Task;
  readonly logicalTaskKey: string;
  readonly folder: Map<string, string>;
  phase: PhaseName | undefined;
  /** The last second check read an attempt that was not this one in progress. */
  wasStale: boolean;
  /** The task as rule R8 read it. */
  seen?: Task;
  /** The task as the last read-back saw it. */
  readBack?: Task;
  stagingCommit: number;
  headAtDecision: number;
  /** The head that the last publish fence decided on. */
  judgedHead: number;
  /** A merge was sent and could still land when it was decided how to end. */
  mayLand: boolean;
  copied: boolean;
  isDead: boolean;
  stalledUntilMs: number;
  /** A request was given up whose effect may come later. */
  cleanupFailed: boolean;
  leaseStopped: boolean;
  end: string;
}

/** Everything that all executions of one run share. */
export class SimWorld {
  readonly scheduler = new Scheduler();
  readonly repository = new Repository();
  readonly branches = new Map<string, StagingBranch>();
  readonly runs: Run[] = [];
  readonly log: string[] = [];
  /** When each task was last heard of, milliseconds. */
  readonly leases = new Map<string, number>();
  readonly violations: string[] = [];
  readonly codes: string[] = [];
  readonly rules: EngineRules;
  readonly scenario: Scenario;
  readonly fates: Fates;
  engine: Engine;
  head: number;
  completions: Completion[] = [];
  /** The engine wrote an older record over a newer one by itself. */
  rewound = false;
  raceCount = 0;
  /** Branches that sweeps took while executions ran. */
  sweptCount = 0;
  windowCount = 0;
  /** No more executions than this. */
  executionLimit: number;
  /** Hands out what waits. */
  offerNext: () => void = () => undefined;

  constructor(scenario: Scenario, fates: Fates) {
    this.scenario = scenario;
    this.fates = fates;
    this.executionLimit = scenario.maxExecutionCount;
    this.rules = { stepCount: scenario.stepCount, maxRetryCount: scenario.maxRetryCount };
    this.head = this.repository.add(-1, firstTree(scenario.hardFence), {});
    this.engine = startWorkflow(this.repository.commit(this.head).id);
  }

  /** One line of the run's story. */
  tell(text: string): void {
    this.log.push(`${String(this.scheduler.nowMs).padStart(7)} ms  ${text}`);
  }

  /** Looks at invariants; what is broken is kept and told. */
  check<Facts>(invariants: readonly Invariant<Facts>[], facts: Facts): void {
    for (const text of broken(invariants, facts)) {
      this.violations.push(text);
      this.tell(`BROKEN ${text}`);
    }
  }

  /** A confirm commit becomes the head. */
  land(commit: ModelCommit, by: Run, isFenced: boolean): void {
    const { hardFence, mode } = this.scenario;
    if (commit.metadata["perago.expected_head"] !== commit.parents[0]) this.raceCount += 1;
    this.head = commit.number;
    this.tell(`${by.name}: commit ${commit.number} lands upon ${commit.parent}`);
    const completions = this.rewound ? [] : this.completions;
    const isRequiredInVain = mode === "required" && !isFenced;
    const facts = { repository: this.repository, hardFence, isRequiredInVain, commit, completions, copied: by.copied };
    this.check(LANDING, facts);
  }

  /** Somebody else commits to the target. */
  commitForeign(name: string): void {
    const tree = new Map([...this.repository.commit(this.head).tree, [`${PREFIX}${name}`, "1"]]);
    this.head = this.repository.add(this.head, tree, {});
    this.tell(`a foreign commit: ${this.head}`);
  }

  /** Somebody removes the hard fence from the target. */
  removeHardFence(): void {
    const tree = new Map([...this.repository.commit(this.head).tree].filter(([key]) => key !== ACTION));
    this.head = this.repository.add(this.head, tree, {});
    this.tell(`the hard fence is removed: ${this.head}`);
  }

  /** The engine gets a result. */
  take(report: EngineReport, by: Run, seen: Task | undefined): void {
    const task = taskOf(this.engine, report.taskId);
    const engine = takeReport(this.engine, report, this.rules);
    this.tell(`${by.name}: ${report.status} ${engine === undefined ? `is dropped, ${task.status}` : "is taken"}`);
    if (engine === undefined) return;
    const { status, ref } = report;
    const own = ref === "" ? undefined : this.repository.byId(ref).metadata["perago.staging_commit"];
    const windowOpen = this.rewound || (seen !== undefined && seen !== task);
    if (windowOpen) this.windowCount += 1;
    this.check(TAKING, {
      repository: this.repository,
      head: this.head,
      hardFence: this.scenario.hardFence,
      task,
      held: by.task,
      status,
      ref,
      withCommit: by.stagingCommit >= 0 && own === this.repository.commit(by.stagingCommit).id,
      folder: by.folder,
      logicalTaskKey: by.logicalTaskKey,
      windowOpen,
    });
    this.engine = engine;
    if (status === "COMPLETED") {
      const { logicalTaskKey } = by;
      this.completions.push({ logicalTaskKey, scheduledTime: by.task.scheduledTime, ref, asked: windowOpen });
    }
    this.offerNext();
  }

  /** Somebody asks for a rerun or restart: outputs from that step on are given up. */
  giveUpOutputs(): void {
    this.completions = this.completions.map((completion) => ({ ...completion, asked: true }));
  }
}
