import type { Database, Row } from "../../store/database.ts";
import type { RunState } from "../decider/draft.ts";
import { isWorkflowEnded, type TaskRun, type WorkflowRun } from "../model/run.ts";
import { readTaskRun, readWorkflowRun } from "./records.ts";

/** The runs and their tasks. */
export class RunStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** A run without its tasks. */
  workflow(id: string): WorkflowRun | undefined {
    const row = this.#db.get("SELECT json FROM conductor_workflow WHERE id = ?", id);
    return row === undefined ? undefined : readWorkflowRun(String(row["json"]));
  }

  /** A run with its tasks. */
  run(id: string): RunState | undefined {
    const workflow = this.workflow(id);
    return workflow === undefined ? undefined : { workflow, tasks: this.tasksOf(id) };
  }

  /** The tasks of a run in their order. */
  tasksOf(id: string): TaskRun[] {
    return this.#db.all("SELECT json FROM conductor_task WHERE workflow_id = ? ORDER BY seq", id).map(toTask);
  }

  /** A task. */
  task(taskId: string): TaskRun | undefined {
    const row = this.#db.get("SELECT json FROM conductor_task WHERE id = ?", taskId);
    return row === undefined ? undefined : toTask(row);
  }

  /** Writes a run; `dueMs` is when it has to be looked at next. */
  putWorkflow(workflow: WorkflowRun, dueMs: number | undefined): void {
    this.#db.run(
      "INSERT OR REPLACE INTO conductor_workflow (id, name, status, correlation_id, created_ms, due_ms, json) " +
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
      workflow.workflowId,
      workflow.workflowDefinition.name,
      workflow.status,
      workflow.correlationId ?? null,
      workflow.createTime,
      isWorkflowEnded(workflow.status) ? null : (dueMs ?? null),
      JSON.stringify(workflow),
    );
  }

  /** Has a run looked at no later than this. */
  bringForward(id: string, dueMs: number): void {
    this.#db.run("UPDATE conductor_workflow SET due_ms = min(coalesce(due_ms, ?), ?) WHERE id = ?", dueMs, dueMs, id);
  }

  /** Writes a whole task. */
  putTask(task: TaskRun): void {
    this.#db.run(
      "INSERT OR REPLACE INTO conductor_task (id, workflow_id, seq, def_name, status, json) VALUES (?, ?, ?, ?, ?, ?)",
      task.taskId,
      task.workflowInstanceId,
      task.seq,
      task.taskDefName,
      task.status,
      JSON.stringify(task),
    );
  }

  /** Removes a task and its log. */
  removeTask(taskId: string): void {
    this.#db.run("DELETE FROM conductor_task WHERE id = ?", taskId);
    this.#db.run("DELETE FROM conductor_task_log WHERE task_id = ?", taskId);
  }

  /** Removes a run with all that belongs to it. */
  removeWorkflow(id: string): void {
    for (const task of this.tasksOf(id)) {
      this.#db.run("DELETE FROM conductor_queue WHERE task_id = ?", task.taskId);
      this.removeTask(task.taskId);
    }
    this.#db.run("DELETE FROM conductor_workflow WHERE id = ?", id);
  }

  /** Runs that have to be looked at by now. */
  dueIds(nowMs: number, limit: number): string[] {
    const rows = this.#db.all(
      "SELECT id FROM conductor_workflow WHERE due_ms <= ? ORDER BY due_ms LIMIT ?",
      nowMs,
      limit,
    );
    return rows.map((row) => String(row["id"]));
  }

  /** When the next run has to be looked at. */
  nextDueMs(): number | undefined {
    const row = this.#db.get("SELECT min(due_ms) AS due FROM conductor_workflow WHERE due_ms IS NOT NULL");
    return typeof row?.["due"] === "number" ? row["due"] : undefined;
  }

  /** How many tasks of a definition are with workers. */
  runningCount(taskDefName: string): number {
    const row = this.#db.get(
      "SELECT count(*) AS count FROM conductor_task WHERE def_name = ? AND status = 'IN_PROGRESS'",
      taskDefName,
    );
    return Number(row?.["count"] ?? 0);
  }

  /** Ids of runs of a name that have not ended, oldest first. */
  runningIds(name: string): string[] {
    const rows = this.#db.all(
      "SELECT id FROM conductor_workflow WHERE name = ? AND status IN ('RUNNING', 'PAUSED') ORDER BY created_ms",
      name,
    );
    return rows.map((row) => String(row["id"]));
  }
}

function toTask(row: Row): TaskRun {
  return readTaskRun(String(row["json"]));
}
