import type { AttemptFacts } from "../../src/attempt/machine/facts.ts";
import type { Completion } from "../invariants/facts.ts";
import type { Engine, Task } from "../model/engine.ts";
import type { Tree } from "../model/trees.ts";

/** What may go wrong, or be done by somebody, each a bounded number of times in one exploration. */
export interface Budget {
  /** A host dies: at any point, also with a merge request under way. */
  readonly crash: number;
  /** An answer to a merge that does not say what happened: lost before, lost after, or performed later. */
  readonly merge: number;
  /** A merge answered 429 or 423. */
  readonly busy: number;
  /** The network sends a merge request twice. */
  readonly copy: number;
  /** Any other request that fails, before or after it was performed. */
  readonly request: number;
  /** Response timeouts. */
  readonly timeout: number;
  /** Hand-outs of a task that is held already. */
  readonly redeliver: number;
  readonly rerun: number;
  readonly restart: number;
  /** Commits of somebody else on the target. */
  readonly foreign: number;
  /** Own-looking commits of the same logical task with another prefix (rule P4). */
  readonly otherPrefix: number;
  /** Somebody writes to a staging branch (case D11). */
  readonly intruder: number;
  /** Somebody removes the action of the hard fence: from the target, or from a staging branch (rule H3). */
  readonly unfence: number;
  /** Heartbeats that are under way for a while. */
  readonly beat: number;
  /** Heartbeats that end without an answer, and may be written later. */
  readonly lostBeat: number;
  /** A worker whose own lease deadline has passed. */
  readonly lapse: number;
}

/** Which resource of the budget an action takes. */
export type Fault = keyof Budget;

/** Nothing goes wrong and nobody interferes. */
export const CALM: Budget = {
  crash: 0,
  merge: 0,
  busy: 0,
  copy: 0,
  request: 0,
  timeout: 0,
  redeliver: 0,
  rerun: 0,
  restart: 0,
  foreign: 0,
  otherPrefix: 0,
  intruder: 0,
  unfence: 0,
  beat: 0,
  lostBeat: 0,
  lapse: 0,
};

/** What the body of an execution does to its folder. */
export type Body = "own_file" | "same_file" | "nothing";

/** One execution, and what the checks remember of it. */
export interface Execution {
  /** Constant: identity, and the folder that its body leaves. */
  readonly fixed: {
    readonly facts: AttemptFacts;
    readonly key: number;
    readonly task: Task;
    readonly folder: Tree;
    readonly input: number;
  };
  /** Number of the machine's state; -1 once it has ended. */
  readonly state: number;
  /** How it ended: `crashed`, `completed`, `silent` or a failure code; empty while it runs. */
  readonly end: string;
  /** Its staging branch: base commit, uncommitted content, its own commit, and the commit that an intruder left. */
  readonly branch?: Branch;
  /** Number of its staging commit; -1 before. */
  readonly stagingCommit: number;
  readonly lapsed: boolean;
  /** A heartbeat that has read the task and not yet written it. */
  readonly beat?: { readonly snapshot: Task; readonly gaveUp: boolean };
  /** What the last second check (rule A2) should have seen: the attempt was stale. */
  readonly wasStale: boolean;
  /** The task as rule R8 read it, until the result was sent. */
  readonly seen?: Task;
  /** It had sent a merge when it decided to fail, and the head was still the one that the merge expects. */
  readonly mayLand: boolean;
  /** A merge was sent more than once over the wire. */
  readonly copied: boolean;
}

/** A staging branch. */
export interface Branch {
  readonly name: string;
  readonly base: number;
  /** Uncommitted content; undefined once it is committed. */
  readonly tree?: Tree;
  readonly head: number;
  /** Cleanup failed, or it was kept for the sweeper (rule X2). */
  readonly kept?: boolean;
}

/** A merge request that the server may still perform. */
export interface Flight {
  readonly by: number;
  /** Number of the request, of `MergeRequests`. */
  readonly request: number;
}

/** The whole world in one moment. Plain data; every step makes a new one. */
export interface World {
  readonly head: number;
  readonly engine: Engine;
  readonly executions: readonly Execution[];
  readonly flights: readonly Flight[];
  readonly completions: readonly Completion[];
  /** A heartbeat was written over a newer record of the task: the engine itself went back (known, not curable). */
  readonly rewound: boolean;
  readonly budget: Budget;
}

/** The world with one execution replaced. */
export function withExecution(world: World, index: number, execution: Execution): World {
  return { ...world, executions: world.executions.map((other, at) => (at === index ? execution : other)) };
}

/** The world with one piece of the budget used. */
export function spend(world: World, fault: Fault): World {
  return { ...world, budget: { ...world.budget, [fault]: world.budget[fault] - 1 } };
}

/** A compact text that is equal exactly for equal worlds. */
export function encode({ head, engine, executions, flights, completions, rewound, budget }: World): string {
  return [
    head,
    engine.time,
    engine.tasks.map(encodeTask).join(";"),
    executions.map(encodeExecution).join(";"),
    flights.map(({ by, request }) => `${by}.${request}`).join(),
    completions.map(({ scheduledTime, ref, asked }) => `${scheduledTime}:${ref.slice(0, 8)}${asked ? 1 : 0}`).join(),
    rewound ? 1 : 0,
    Object.values(budget).join(""),
  ].join("|");
}

const taskTexts = new WeakMap<Task, string>();
const executionTexts = new WeakMap<Execution, string>();

/** Most of a world is shared with the one before it: the text of each part is made once. */
function remembered<T extends object>(texts: WeakMap<T, string>, value: T, make: (value: T) => string): string {
  let text = texts.get(value);
  if (text === undefined) {
    text = make(value);
    texts.set(value, text);
  }
  return text;
}

/** Everything of a task that changes over its life. */
export function encodeTask(task: Task): string {
  return remembered(taskTexts, task, textOfTask);
}

function textOfTask(task: Task): string {
  const { id, retryCount, scheduledTime, pollCount, workerId, status, ref } = task;
  return `${id}.${retryCount}.${scheduledTime}.${pollCount}.${workerId}.${status}.${ref.slice(0, 8)}`;
}

function encodeExecution(execution: Execution): string {
  return remembered(executionTexts, execution, textOfExecution);
}

function textOfExecution(execution: Execution): string {
  const { fixed, state, end, branch, stagingCommit, lapsed, beat, wasStale, seen, mayLand, copied } = execution;
  const flags = (lapsed ? 1 : 0) + (wasStale ? 2 : 0) + (copied ? 4 : 0) + (mayLand ? 8 : 0);
  const staged =
    branch === undefined
      ? ""
      : `${branch.base}:${branch.head}:${branch.kept === true ? 1 : 0}${branch.tree === undefined ? "" : "u"}`;
  const beating = beat === undefined ? "" : `${encodeTask(beat.snapshot)}${beat.gaveUp ? 1 : 0}`;
  const reading = seen === undefined ? "" : encodeTask(seen);
  return [fixed.key, state, end, staged, stagingCommit, flags, beating, reading].join();
}
