import type { Database, Row } from "../../store/database.ts";
import { parseJson } from "../json.ts";
import { readTaskDef, taskDefView, type TaskDef } from "../model/task-def.ts";
import { readWorkflowDef, workflowDefView, type WorkflowDef } from "../model/workflow-def.ts";

/** The registered definitions. */
export class DefinitionStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** A task definition. */
  taskDef(name: string): TaskDef | undefined {
    const row = this.#db.get("SELECT json FROM conductor_task_def WHERE name = ?", name);
    return row === undefined ? undefined : toTaskDef(row);
  }

  /** All task definitions by name. */
  taskDefs(): TaskDef[] {
    return this.#db.all("SELECT json FROM conductor_task_def ORDER BY name").map(toTaskDef);
  }

  /** Writes a task definition over what is there (case C13). */
  putTaskDef(def: TaskDef): void {
    this.#db.run(
      "INSERT OR REPLACE INTO conductor_task_def (name, json) VALUES (?, ?)",
      def.name,
      JSON.stringify(taskDefView(def)),
    );
  }

  /** False where there was none. */
  removeTaskDef(name: string): boolean {
    return this.#db.run("DELETE FROM conductor_task_def WHERE name = ?", name) > 0;
  }

  /** A workflow definition; without a version the latest. */
  workflowDef(name: string, version?: number): WorkflowDef | undefined {
    const row =
      version === undefined
        ? this.#db.get("SELECT json FROM conductor_workflow_def WHERE name = ? ORDER BY version DESC LIMIT 1", name)
        : this.#db.get("SELECT json FROM conductor_workflow_def WHERE name = ? AND version = ?", name, version);
    return row === undefined ? undefined : toWorkflowDef(row);
  }

  /** All workflow definitions by name and version. */
  workflowDefs(): WorkflowDef[] {
    return this.#db.all("SELECT json FROM conductor_workflow_def ORDER BY name, version").map(toWorkflowDef);
  }

  /** Writes a version of a workflow definition over what is there. */
  putWorkflowDef(def: WorkflowDef): void {
    this.#db.run(
      "INSERT OR REPLACE INTO conductor_workflow_def (name, version, json) VALUES (?, ?, ?)",
      def.name,
      def.version,
      JSON.stringify(workflowDefView(def)),
    );
  }

  /** False where there was none. */
  removeWorkflowDef(name: string, version: number): boolean {
    return this.#db.run("DELETE FROM conductor_workflow_def WHERE name = ? AND version = ?", name, version) > 0;
  }
}

function toTaskDef(row: Row): TaskDef {
  return readTaskDef(parseJson(String(row["json"])));
}

function toWorkflowDef(row: Row): WorkflowDef {
  return readWorkflowDef(parseJson(String(row["json"])));
}
