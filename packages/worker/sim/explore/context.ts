import { logicalTaskKey } from "@perago/fence";
import type { AttemptFacts, HardFenceMode } from "../../src/attempt/machine/facts.ts";
import type { MergeRequest } from "../../src/attempt/ports/target-store.ts";
import type { Machine } from "../../src/attempt/machine/step.ts";
import type { EngineRules, Task } from "../model/engine.ts";
import { startWorkflow } from "../model/engine.ts";
import { Repository } from "../model/repository.ts";
import { firstTree, PREFIX, projectionOf, type Tree } from "../model/trees.ts";
import { InternedMachine } from "./interned-machine.ts";
import type { Body, Budget, Execution, World } from "./world.ts";

/** What is explored: how many executions, what they do, and what may happen to them. */
export interface Scope {
  readonly name: string;
  /** One body for each execution, in the order in which tasks are handed out; no more are handed out. */
  readonly bodies: readonly Body[];
  readonly maxRetryCount: number;
  readonly budget: Budget;
  /** The target carries the action by which lakeFS refuses a merge onto another head than it expects (rules H1, H4). */
  readonly hardFence: boolean;
  /** Rule H2; default `auto`. */
  readonly mode?: HardFenceMode;
  /** All executions run on one host: what Conductor shows as their worker id is the same. */
  readonly oneHost?: boolean;
  /** The invariants of the hard fence are asked of the soft one: shows the known race. */
  readonly promisesHardFence?: boolean;
}

/** What the wiring around the machine does otherwise than the driver and its ports: mutants of port rules. */
export interface Wiring {
  /** C1 broken: what is merged is the staging branch as it is now. */
  readonly mergeByBranchName?: boolean;
  /** C5 broken: a merge without an answer is sent once more. */
  readonly blindRetry?: boolean;
  /** R4 broken: nobody waits for the heartbeat in flight. */
  readonly heartbeatNotAwaited?: boolean;
  /** C7 broken: who lost a race resets the branch to what it expected. */
  readonly resetAfterRace?: boolean;
  /** H1 broken: the server does not run the action. */
  readonly actionIgnored?: boolean;
  /** X3 broken: the TTL of sweeps. Default: longer than anything of the model lasts. */
  readonly sweepTtlMs?: number;
}

/** Everything that stays the same in one exploration; what it collects are values that never change. */
export interface Context {
  readonly scope: Scope;
  readonly wiring: Wiring;
  readonly machine: InternedMachine;
  readonly repository: Repository;
  readonly rules: EngineRules;
  readonly root: number;
  readonly requests: Numbered<MergeRequest>;
  readonly executions: Map<string, Execution["fixed"]>;
}

/** Values by number, equal ones under one number. */
export class Numbered<T> {
  readonly #values: T[] = [];
  readonly #byText = new Map<string, number>();

  numberOf(value: T): number {
    const text = JSON.stringify(value);
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    this.#byText.set(text, this.#values.length);
    return this.#values.push(value) - 1;
  }

  value(number: number): T {
    const value = this.#values[number];
    if (value === undefined) throw new Error(`no value ${number}`);
    return value;
  }
}

/** The workflow of the model. */
export const WORKFLOW = "wf";
/** The one logical task. */
export const NAMES = { workflowInstanceId: WORKFLOW, referenceTaskName: "step", iteration: 0, taskDefName: "task" };
/** Its key. */
export const KEY = logicalTaskKey(NAMES);

/** A fresh context for one exploration. */
export function createContext(scope: Scope, machine: Machine, wiring: Wiring = {}): Context {
  const repository = new Repository();
  return {
    scope,
    wiring,
    machine: new InternedMachine(machine),
    repository,
    rules: { stepCount: 1, maxRetryCount: scope.maxRetryCount },
    root: repository.add(-1, firstTree(scope.hardFence), {}),
    requests: new Numbered(),
    executions: new Map(),
  };
}

/** The first world: one task is scheduled, its input is the target's head. */
export function firstWorld({ repository, root, scope }: Context): World {
  return {
    head: root,
    engine: startWorkflow(repository.commit(root).id),
    executions: [],
    flights: [],
    completions: [],
    rewound: false,
    budget: scope.budget,
  };
}

/** A new execution of a task that was just handed out. */
export function startExecution(context: Context, index: number, task: Task): Execution {
  const fixed = fixedOf(context, index, task);
  const { state } = context.machine.start(fixed.facts, fixed.key);
  return { fixed, state, end: "", stagingCommit: -1, lapsed: false, wasStale: false, mayLand: false, copied: false };
}

function fixedOf({ executions, repository, scope }: Context, index: number, task: Task): Execution["fixed"] {
  const name = `${index}.${task.id}.${task.scheduledTime}.${task.pollCount}.${task.retryCount}`;
  const known = executions.get(name);
  if (known !== undefined) return known;
  const input = repository.byId(task.input).number;
  const body = scope.bodies[index] ?? "own_file";
  const folder = folderAfter(projectionOf(repository.commit(input).tree), body, index);
  const fixed = { facts: factsOf(index, task, scope.mode), key: executions.size, task, folder, input };
  executions.set(name, fixed);
  return fixed;
}

function folderAfter(before: Tree, body: Body, index: number): Tree {
  const folder = new Map(before);
  if (body === "own_file") folder.set(`${PREFIX}e${index}`, "1");
  if (body === "same_file") folder.set(`${PREFIX}same`, "1");
  return folder;
}

function factsOf(index: number, task: Task, hardFence: HardFenceMode = "auto"): AttemptFacts {
  const { id, retryCount, scheduledTime, pollCount, workerId, retried } = task;
  const workspace = { repository: "repo", branch: "main", refType: "commit", ref: task.input };
  return {
    polled: {
      ...NAMES,
      taskId: id,
      retryCount,
      scheduledTime,
      pollCount,
      workerId,
      ...(retried === "" ? {} : { retriedTaskId: retried }),
      inputData: { workspace, params: {} },
      responseTimeoutSeconds: 600,
      pollSentAtMs: 0,
      receivedAtMs: 0,
    },
    workspace: { prefix: PREFIX, readOnly: false, hasPostGuardrails: false },
    logicalTaskKey: KEY,
    executionId: `e${index}`,
    workerId,
    writer: "ts/0.0.0",
    bodyTimeoutMs: 0,
    hardFence,
    mergeTimeoutMs: 60_000,
    reportTimeoutMs: 15_000,
    outputLimitBytes: 3_000_000,
    reasonMaxLength: 500,
  };
}
