import { encodeConfirmMetadata, logicalTaskKey } from "@perago/fence";
import type { Completion, Execution, History, Target, TargetCommit } from "../history.ts";

/** Any commit id from a short name. */
export function commitId(name: string): string {
  return Buffer.from(name).toString("hex").padEnd(64, "0");
}

/** The parts of a history that a test forges; the rest is as in a run where nothing went wrong. */
export interface Forged {
  readonly workflowId: string;
  readonly key: string;
  readonly repository: string;
  readonly branch: string;
}

/** Whose things all forgeries are. */
export const FORGED: Forged = {
  workflowId: "wf",
  key: logicalTaskKey({
    workflowInstanceId: "wf",
    referenceTaskName: "s1",
    iteration: 0,
    taskDefName: "chaos.step",
  }),
  repository: "repo",
  branch: "t-1",
};

/** The delivery that a commit, an execution or an output belongs to. */
export interface Delivery {
  readonly taskId: string;
  readonly scheduledTime: number;
}

/** A confirm commit of the forged task on the commit below it. */
export function confirm(
  name: string,
  below: TargetCommit,
  { taskId, scheduledTime }: Delivery,
  changes: Readonly<Record<string, string>> = {},
): TargetCommit {
  const { workflowId, key, branch } = FORGED;
  const isFirst = below.id === START.id;
  const metadata = encodeConfirmMetadata({
    logicalTaskKey: key,
    taskId,
    retryCount: 0,
    inputRef: START.id,
    targetBranch: branch,
    prefix: "/work",
    stagingBranch: `perago-stg-${name}`,
    stagingCommit: commitId(`staged ${name}`),
    expectedHead: below.id,
    supersedes: isFirst ? "" : below.id,
    workflowInstanceId: workflowId,
    taskDefName: "chaos.step",
    referenceTaskName: "s1",
    scheduledTime,
    workerId: "w0001",
    writer: "ts/0.0.0",
  });
  const tree = { inside: { "a.txt": `md5 of ${name}` }, outside: START.outside };
  const createdAtSeconds = scheduledTime / 1000;
  return { id: commitId(name), parents: [below.id], metadata: { ...metadata, ...changes }, createdAtSeconds, ...tree };
}

/** A commit of somebody else. */
export function foreign(name: string, below: TargetCommit): TargetCommit {
  return { ...below, id: commitId(name), parents: [below.id], metadata: {} };
}

/** Where the forged target starts. */
export const START: TargetCommit = {
  id: commitId("start"),
  parents: [],
  metadata: {},
  createdAtSeconds: 1,
  inside: { "a.txt": "md5 of start" },
  outside: "outside",
};

/** The forged target with these commits above its start. */
export function target(...commits: readonly TargetCommit[]): Target {
  const { repository, branch } = FORGED;
  return { repository, branch, commits: [START, ...commits] };
}

/** An execution that has published and reported the commit of this name; `changes` make another of it. */
export function execution(name: string, delivery: Delivery, changes: Partial<Execution> = {}): Execution {
  return {
    name: {
      executionId: `execution ${name}`,
      workerId: "w0001",
      workflowId: FORGED.workflowId,
      taskDefName: "chaos.step",
      referenceTaskName: "s1",
      iteration: 0,
      retryCount: 0,
      pollCount: 1,
      ...delivery,
    },
    stagingBranch: `perago-stg-${name}`,
    stagingCommit: commitId(`staged ${name}`),
    checks: [{ current: true, mergesBefore: 0 }],
    mergeCount: 1,
    merged: [commitId(name)],
    mergeOnItsWay: false,
    reports: [{ status: "COMPLETED", ref: commitId(name), files: { "a.txt": `md5 of ${name}` } }],
    notes: [],
    end: "ended",
    ...changes,
  };
}

/** The engine has taken the commit of this name as the output of the delivery. */
export function completion(name: string, delivery: Delivery): Completion {
  const { workflowId, key: logicalTaskKey_, repository, branch } = FORGED;
  const named = { workflowId, repository, branch, logicalTaskKey: logicalTaskKey_ };
  return { ...named, ...delivery, pollCount: 1, endTimeMs: delivery.scheduledTime + 500, ref: commitId(name) };
}

/** A history in which one delivery has published one commit and nothing is wrong, with what the test changes. */
export function history(changes: Partial<History> = {}): History {
  const delivery = { taskId: "task-1", scheduledTime: 10_000 };
  const { workflowId, repository, branch } = FORGED;
  const task = { ...delivery, status: "COMPLETED", pollCount: 1, ref: commitId("one") };
  return {
    fence: "hard",
    targets: [target(confirm("one", START, delivery))],
    workflows: [{ workflowId, repository, branch, status: "COMPLETED", tasks: [task] }],
    executions: [execution("one", delivery)],
    completions: [completion("one", delivery)],
    asked: [],
    seenCommits: [{ repository, branch, commit: commitId("one") }],
    quiet: [],
    left: {
      branches: [{ repository, name: "somebody-1" }],
      foreignBranches: [{ repository, name: "somebody-1" }],
      folders: [],
      isSwept: { branches: true, folders: true },
      unended: [],
    },
    ...changes,
  };
}
