import type { TaskRead } from "../../src/attempt/ports/attempt-source.ts";

/** One task record of the engine. Immutable: every change makes a new record. */
export interface Task {
  readonly id: string;
  /** Which step of the workflow: one step is one logical task. */
  readonly step: number;
  readonly retryCount: number;
  readonly scheduledTime: number;
  readonly pollCount: number;
  readonly workerId: string;
  /** `GONE`: a restart or an earlier rerun removed it, a read answers null. */
  readonly status: string;
  /** Output ref of a COMPLETED task. */
  readonly ref: string;
  /** The task that this one retries. */
  readonly retried: string;
  /** Input ref. */
  readonly input: string;
}

/** One workflow of Conductor with its steps one after the other (servers.md, "one step over its life"). */
export interface Engine {
  readonly time: number;
  readonly tasks: readonly Task[];
}

/** How the workflow goes on by itself. */
export interface EngineRules {
  readonly stepCount: number;
  readonly maxRetryCount: number;
}

/** What a worker sends. */
export interface EngineReport {
  readonly taskId: string;
  readonly status: string;
  readonly ref: string;
}

const finalStatuses = new Set(["COMPLETED", "FAILED", "FAILED_WITH_TERMINAL_ERROR", "TIMED_OUT", "CANCELED", "GONE"]);

/** Whether the engine drops results for it. */
export function isFinal({ status }: Task): boolean {
  return finalStatuses.has(status);
}

/** A workflow that has just started. */
export function startWorkflow(input: string): Engine {
  return schedule({ time: 0, tasks: [] }, { step: 0, input, retryCount: 0, retried: "" });
}

function schedule(engine: Engine, task: Pick<Task, "step" | "input" | "retryCount" | "retried">): Engine {
  const time = engine.time + 1;
  const id = `t${engine.tasks.length + 1}`;
  const fresh = { pollCount: 0, workerId: "", status: "SCHEDULED", ref: "" };
  return { time, tasks: [...engine.tasks, { ...task, ...fresh, id, scheduledTime: time }] };
}

function replace(engine: Engine, task: Task): Engine {
  return { ...engine, tasks: engine.tasks.map((other) => (other.id === task.id ? task : other)) };
}

/** The task by its id. */
export function taskOf({ tasks }: Engine, id: string): Task {
  const task = tasks.find((candidate) => candidate.id === id);
  if (task === undefined) throw new Error(`no task ${id}`);
  return task;
}

/** The newest task: the one that the workflow waits for. */
export function currentTask({ tasks }: Engine): Task {
  const task = tasks.at(-1);
  if (task === undefined) throw new Error("a workflow without a task");
  return task;
}

/** Hands a task out: also a second time, when the first acknowledgement was lost. */
export function handOut(engine: Engine, id: string, workerId: string): Engine {
  const task = taskOf(engine, id);
  return replace(engine, { ...task, status: "IN_PROGRESS", workerId, pollCount: task.pollCount + 1 });
}

/** The response timeout strikes. */
export function timeOut(engine: Engine, id: string, rules: EngineRules): Engine {
  return afterFailure(replace(engine, { ...taskOf(engine, id), status: "TIMED_OUT" }), id, rules);
}

/** Somebody reruns from a step: same task id and retry count, later steps are removed. */
export function rerun(engine: Engine, step: number): Engine {
  const last = engine.tasks.findLast((task) => task.step === step && task.status !== "GONE");
  if (last === undefined) throw new Error(`step ${step} was never scheduled`);
  const time = engine.time + 1;
  const again = { ...last, status: "SCHEDULED", scheduledTime: time, pollCount: 0, ref: "" };
  const kept = engine.tasks.filter(({ id }) => id !== last.id).map((task) => withoutAfter(task, step));
  return { time, tasks: [...kept, again] };
}

function withoutAfter(task: Task, step: number): Task {
  if (task.step > step) return { ...task, status: "GONE" };
  return isFinal(task) ? task : { ...task, status: "CANCELED" };
}

/** Somebody restarts the workflow: new task ids, retry counts from 0, the old tasks are removed. */
export function restart(engine: Engine): Engine {
  const first = engine.tasks[0];
  const gone = { ...engine, tasks: engine.tasks.map((task) => ({ ...task, status: "GONE" })) };
  return schedule(gone, { step: 0, input: first?.input ?? "", retryCount: 0, retried: "" });
}

/** The engine takes a result, or drops it and answers 200 all the same; it checks neither worker nor delivery. */
export function takeReport(engine: Engine, report: EngineReport, rules: EngineRules): Engine | undefined {
  const task = engine.tasks.find(({ id }) => id === report.taskId);
  if (task === undefined || isFinal(task)) return undefined;
  const ended = replace(engine, { ...task, status: report.status, ref: report.ref });
  if (report.status === "FAILED") return afterFailure(ended, task.id, rules);
  const goesOn = report.status === "COMPLETED" && currentTask(ended).id === task.id && task.step + 1 < rules.stepCount;
  if (!goesOn) return ended;
  return schedule(ended, { step: task.step + 1, input: report.ref, retryCount: 0, retried: "" });
}

function afterFailure(engine: Engine, id: string, { maxRetryCount }: EngineRules): Engine {
  const task = taskOf(engine, id);
  if (currentTask(engine).id !== id || task.retryCount >= maxRetryCount) return engine;
  const { step, input } = task;
  return schedule(engine, { step, input, retryCount: task.retryCount + 1, retried: id });
}

/** A heartbeat rewrites the whole task as it was when the engine read it. Nothing is written for a removed one. */
export function writeBack(engine: Engine, snapshot: Task): Engine {
  return taskOf(engine, snapshot.id).status === "GONE" ? engine : replace(engine, snapshot);
}

/** A fresh read, as the `AttemptSource` port answers it. */
export function readOf(engine: Engine, id: string, workflowInstanceId: string): TaskRead | null {
  const task = engine.tasks.find((candidate) => candidate.id === id);
  if (task === undefined || task.status === "GONE") return null;
  const { retryCount, scheduledTime, pollCount, workerId, status, ref } = task;
  const identity = { workflowInstanceId, taskId: id, retryCount, scheduledTime, pollCount, workerId };
  return ref === ""
    ? { ...identity, status, hasResult: false }
    : { ...identity, status, hasResult: true, outputRef: ref };
}
