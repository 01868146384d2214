import { randomUUID } from "node:crypto";
import type { Clock, Timer } from "../../clock.ts";
import type { Database } from "../../store/database.ts";
import { decideDraft } from "../decider/decide.ts";
import { Draft, type DecisionEnv } from "../decider/draft.ts";
import { nextDueMs } from "../decider/timeouts.ts";
import { notFound } from "../errors.ts";
import { isTaskEnded } from "../model/run.ts";
import { DefinitionStore } from "../store/definitions.ts";
import { LogStore } from "../store/logs.ts";
import { QueueStore } from "../store/queues.ts";
import { RunStore } from "../store/runs.ts";
import { SCHEMA } from "../store/schema.ts";

/** A worker that polled within this time makes its domain active, milliseconds. */
const ACTIVE_POLL_MS = 10_000;
/** Runs that one pass of the sweep looks at before it looks at the time again. */
const SWEEP_BATCH = 200;

/** Store, time and the sweep: what all operations share. Each change of a run is one transaction. */
export class Core {
  readonly definitions: DefinitionStore;
  readonly runs: RunStore;
  readonly queues: QueueStore;
  readonly logs: LogStore;
  readonly clock: Clock;
  readonly #db: Database;
  /** Tasks that a waiting poll has popped and not handed out yet. */
  readonly held = new Set<string>();
  readonly #listeners = new Map<string, Set<() => void>>();
  #sweepTimer: Timer | undefined;
  #isClosed = false;

  constructor(db: Database, clock: Clock) {
    db.exec(SCHEMA);
    this.#db = db;
    this.clock = clock;
    this.definitions = new DefinitionStore(db);
    this.runs = new RunStore(db);
    this.queues = new QueueStore(db);
    this.logs = new LogStore(db);
    this.#armSweep();
  }

  /** True after `close()`. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Performs work in one transaction. */
  transaction<T>(work: () => T): T {
    return this.#db.transaction(work);
  }

  /** Changes a run in one transaction. Throws 404 where it is not known; where `work` throws nothing is changed. */
  change<T>(workflowId: string, work: (draft: Draft) => T): T {
    const queues = new Set<string>();
    const result = this.transaction(() => {
      const state = this.runs.run(workflowId);
      if (state === undefined) throw notFound(`No such workflow found by id: ${workflowId}`);
      const draft = new Draft(state, this.env());
      const value = work(draft);
      this.save(draft, queues);
      return value;
    });
    this.announce(queues);
    return result;
  }

  /** Writes what a draft changed. Call it in a transaction, and `announce` its queues after. */
  save(draft: Draft, queues: Set<string>): void {
    const changes = draft.changes();
    const nowMs = draft.env.nowMs;
    for (const taskId of changes.removedTaskIds) this.runs.removeTask(taskId);
    for (const task of changes.changedTasks) this.runs.putTask(task);
    for (const taskId of changes.unqueuedTaskIds) this.queues.remove(taskId);
    for (const push of changes.pushes) {
      this.queues.push(push.queue, push.taskId, push.priority, nowMs + push.delayMs);
      queues.add(push.queue);
    }
    // A slot of a task with a limit may be free now.
    for (const task of changes.changedTasks) if (isTaskEnded(task.status)) queues.add(task.taskType);
    this.runs.putWorkflow(changes.workflow, nextDueMs(changes.workflow, changes.tasks, nowMs));
  }

  /** Tells waiting polls that queues changed, and the sweep that its next time may have. */
  announce(queues: ReadonlySet<string>): void {
    for (const queue of queues) for (const listener of this.#listeners.get(queue) ?? []) listener();
    this.#armSweep();
  }

  /** Calls `listener` at each change of a queue, until the returned function is called. */
  listen(queue: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(queue) ?? new Set();
    this.#listeners.set(queue, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(queue);
    };
  }

  /** Looks at all runs whose time has come, and frees messages that nobody acknowledged. */
  sweep(): void {
    const nowMs = this.clock.nowMs();
    for (let ids = this.runs.dueIds(nowMs, SWEEP_BATCH); ids.length > 0; ids = this.runs.dueIds(nowMs, SWEEP_BATCH)) {
      for (const id of ids) this.change(id, decideDraft);
    }
    if (this.queues.redeliver(nowMs) > 0) this.announce(new Set(this.#listeners.keys()));
  }

  /** What decisions need besides the run. */
  env(): DecisionEnv {
    const nowMs = this.clock.nowMs();
    return {
      nowMs,
      newId: randomUUID,
      random: Math.random,
      activeDomain: (taskType, domains) => {
        const polls = this.queues.polls(taskType).filter((poll) => poll.lastPollTime > nowMs - ACTIVE_POLL_MS);
        return domains.find((domain) => polls.some((poll) => poll.domain === domain));
      },
    };
  }

  /**
   * Ends the sweep and wakes all waiting polls, which then answer nothing; what they had popped is free again. The file
   * is closed by who opened it.
   */
  close(): void {
    this.#isClosed = true;
    this.#sweepTimer?.cancel();
    this.transaction(() => {
      for (const taskId of this.held) this.queues.unpop(taskId);
    });
    for (const listeners of this.#listeners.values()) for (const listener of listeners) listener();
  }

  #armSweep(): void {
    this.#sweepTimer?.cancel();
    this.#sweepTimer = undefined;
    if (this.#isClosed) return;
    const dues = [this.runs.nextDueMs(), this.queues.nextRedeliveryMs()].filter((due) => due !== undefined);
    if (dues.length === 0) return;
    const waitMs = Math.max(0, Math.min(...dues) - this.clock.nowMs());
    this.#sweepTimer = this.clock.after(waitMs, () => {
      this.#sweepTimer = undefined;
      this.sweep();
      this.#armSweep();
    });
  }
}
