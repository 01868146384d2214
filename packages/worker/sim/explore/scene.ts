import type { ModelCommit } from "../model/repository.ts";
import { taskOf, type Task } from "../model/engine.ts";
import { LANDING } from "../invariants/landing.ts";
import { broken } from "../invariants/attempt.ts";
import { ACTION } from "../model/trees.ts";
import type { Context } from "./context.ts";
import type { Execution, Fault, World } from "./world.ts";

/** One execution in one world. */
export interface Scene {
  readonly context: Context;
  readonly world: World;
  readonly index: number;
  readonly execution: Execution;
}

/** One way in which a question may be answered; the first of a list is the one without a fault. */
export interface Option<Answer> {
  /** Equal texts mean equal answers, in one state of the machine. */
  readonly text: string;
  /** What it takes of the budget. */
  readonly fault?: Fault;
  /** Absent: the server could not be reached, or did not answer. */
  readonly answer?: { readonly value: Answer };
  readonly world: World;
  /** What the action is called in a counterexample, after the phase; empty for the ordinary answer. */
  readonly how: string;
  readonly broken?: readonly string[];
}

/** The task that the execution was handed, as the engine has it now. */
export function taskNow({ world, execution }: Pick<Scene, "world" | "execution">): Task {
  return taskOf(world.engine, execution.fixed.task.id);
}

/** Whether the execution's attempt is in progress, and its own (rule A1, seen from outside). */
export function isCurrent(held: Task, now: Task): boolean {
  const same = now.scheduledTime === held.scheduledTime && now.retryCount === held.retryCount;
  return now.status === "IN_PROGRESS" && same && now.pollCount === held.pollCount && now.workerId === held.workerId;
}

/** What the server did with a merge request. */
export interface Performed {
  readonly world: World;
  readonly commit?: ModelCommit;
  /** Why it refused. */
  readonly refused?: "publish_fence" | "merge_conflict";
  readonly broken: readonly string[];
}

/** lakeFS performs a merge request now; every invariant of a landing is looked at. */
export function performMerge(context: Context, world: World, by: number, requestNumber: number): Performed {
  const { repository, requests, scope, wiring } = context;
  const { metadata, stagingCommit } = requests.value(requestNumber);
  const maker = world.executions[by];
  const expected = metadata["perago.expected_head"];
  const named = wiring.mergeByBranchName === true ? maker?.branch?.head : undefined;
  const source = named ?? repository.byId(stagingCommit).number;
  // lakeFS takes actions from the source of the merge (rule H3).
  const isFenced = repository.commit(source).tree.has(ACTION) && wiring.actionIgnored !== true;
  if (isFenced && expected !== repository.commit(world.head).id) {
    return { world, refused: "publish_fence", broken: [] };
  }
  const merged = repository.squashMerge(source, world.head, metadata);
  if ("conflict" in merged) return { world, refused: "merge_conflict", broken: [] };
  const commit = repository.commit(merged.number);
  const facts = {
    repository,
    hardFence: scope.hardFence || scope.promisesHardFence === true,
    isRequiredInVain: scope.mode === "required" && !isFenced,
    commit,
    completions: world.rewound ? [] : world.completions,
    copied: maker?.copied === true,
  };
  return { world: { ...world, head: commit.number }, commit, broken: broken(LANDING, facts) };
}
