import type { JsonObject } from "../json.ts";
import { resolveObject } from "../expressions/replace.ts";
import { isTaskEnded, isWorkflowEnded, queueName, type TaskRun, type WorkflowRun } from "../model/run.ts";
import type { TaskDef } from "../model/task-def.ts";
import { expressionRoot } from "./scope.ts";

/** A run with its tasks in their order. */
export interface RunState {
  readonly workflow: WorkflowRun;
  readonly tasks: readonly TaskRun[];
}

/** Everything a decision needs besides the run: time, ids, dice and who polls. */
export interface DecisionEnv {
  /** Now, ms since 1970. */
  readonly nowMs: number;
  /** A new id for a task. */
  newId(): string;
  /** A number from 0 to below 1, for the jitter of retries. */
  random(): number;
  /** The first of these domains in which somebody polled for the task type lately. */
  activeDomain(taskType: string, domains: readonly string[]): string | undefined;
}

/** A task that goes into a queue. */
export interface QueuePush {
  readonly queue: string;
  readonly taskId: string;
  readonly priority: number;
  readonly delayMs: number;
}

/** What a decision changed. */
export interface Changes {
  readonly workflow: WorkflowRun;
  /** All tasks after it, in their order. */
  readonly tasks: readonly TaskRun[];
  /** New and changed tasks. */
  readonly changedTasks: readonly TaskRun[];
  readonly removedTaskIds: readonly string[];
  readonly pushes: readonly QueuePush[];
  /** Tasks that leave their queue. */
  readonly unqueuedTaskIds: readonly string[];
}

/** A run while it is being changed. It is a copy: nothing outside sees it before `changes`. */
export class Draft {
  readonly env: DecisionEnv;
  readonly workflow: WorkflowRun;
  tasks: TaskRun[];
  readonly #changed = new Set<string>();
  readonly #removed = new Set<string>();
  readonly #unqueued = new Set<string>();
  readonly #pushes: QueuePush[] = [];
  #isWorkflowChanged = false;

  constructor(state: RunState, env: DecisionEnv) {
    this.env = env;
    this.workflow = structuredClone(state.workflow);
    this.tasks = structuredClone([...state.tasks]);
  }

  /** Notes that the workflow itself has changed. */
  touchWorkflow(): void {
    this.#isWorkflowChanged = true;
  }

  /** Notes that a task has changed, and sets its times as Conductor's store does. */
  touch(task: TaskRun): void {
    const hasEnded = isTaskEnded(task.status);
    if (!hasEnded || task.updateTime === 0) task.updateTime = this.env.nowMs;
    if (hasEnded && task.endTime === 0) task.endTime = this.env.nowMs;
    if (hasEnded) this.#unqueued.add(task.taskId);
    this.#changed.add(task.taskId);
  }

  /** Adds new tasks: sequence numbers and times, then the queue for those that workers do. */
  add(tasks: readonly TaskRun[]): void {
    let seq = Math.max(0, ...this.tasks.map((task) => task.seq));
    for (const task of tasks) {
      seq += 1;
      if (task.seq === 0) task.seq = seq;
      task.scheduledTime = this.env.nowMs;
      if (task.firstScheduledTime === 0) task.firstScheduledTime = this.env.nowMs;
      this.#changed.add(task.taskId);
    }
    this.tasks = [...this.tasks, ...tasks].toSorted((a, b) => a.seq - b.seq);
  }

  /** Puts a task into its queue, by its own delay where `delayMs` is not given. */
  queue(task: TaskRun, delayMs = task.callbackAfterSeconds * 1000): void {
    this.#unqueued.delete(task.taskId);
    this.#pushes.push({ queue: queueName(task), taskId: task.taskId, priority: task.workflowPriority, delayMs });
  }

  /** Takes tasks out of the run for good. */
  remove(tasks: readonly TaskRun[]): void {
    const gone = new Set(tasks.map((task) => task.taskId));
    for (const taskId of gone) this.#removed.add(taskId);
    this.tasks = this.tasks.filter((task) => !gone.has(task.taskId));
  }

  /** The newest task of a reference name. */
  newest(referenceName: string): TaskRun | undefined {
    return this.tasks.findLast((task) => task.referenceTaskName === referenceName);
  }

  /** The input of a step now. */
  input(parameters: JsonObject, taskId?: string, def?: TaskDef): JsonObject {
    const template = def?.inputTemplate ?? {};
    const scope = { root: expressionRoot(this.workflow, this.tasks), taskId };
    const resolved = resolveObject({ ...template, ...parameters }, scope);
    for (const [name, value] of Object.entries(template)) {
      if (resolved[name] === null) resolved[name] = value;
    }
    return resolved;
  }

  /** The result. */
  changes(): Changes {
    const isChanged = this.#isWorkflowChanged || this.#changed.size > 0 || this.#removed.size > 0;
    if (isChanged) this.workflow.updateTime = this.env.nowMs;
    if (isWorkflowEnded(this.workflow.status)) for (const task of this.tasks) this.#unqueued.add(task.taskId);
    return {
      workflow: this.workflow,
      tasks: this.tasks,
      changedTasks: this.tasks.filter((task) => this.#changed.has(task.taskId)),
      removedTaskIds: [...this.#removed],
      pushes: this.#pushes.filter((push) => !this.#unqueued.has(push.taskId) && !this.#removed.has(push.taskId)),
      unqueuedTaskIds: [...this.#unqueued, ...this.#removed],
    };
  }
}
