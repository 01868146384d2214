import type { Database } from "../../store/database.ts";

/** A line of a task's log as it is answered. */
export interface LogLine {
  readonly log: string;
  readonly taskId: string;
  readonly createdTime: number;
}

/** The logs of tasks; a task need not exist (tried). */
export class LogStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Adds a line. */
  add(taskId: string, log: string, createdMs: number): void {
    this.#db.run("INSERT INTO conductor_task_log (task_id, created_ms, log) VALUES (?, ?, ?)", taskId, createdMs, log);
  }

  /** The lines in the order in which they came. */
  lines(taskId: string): LogLine[] {
    const rows = this.#db.all("SELECT * FROM conductor_task_log WHERE task_id = ? ORDER BY position", taskId);
    return rows.map((row) => ({ log: String(row["log"]), taskId, createdTime: Number(row["created_ms"]) }));
  }
}
