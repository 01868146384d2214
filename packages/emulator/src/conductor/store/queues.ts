import type { Database } from "../../store/database.ts";

/**
 * A message that is popped and not acknowledged is handed out again after this long, milliseconds (tried: about 60 s).
 */
export const REDELIVERY_MS = 60_000;

/** A message of a queue. */
export interface Message {
  readonly taskId: string;
  readonly priority: number;
}

/** What the polls of one task type left behind. */
export interface PollRecord {
  readonly queueName: string;
  readonly domain: string | undefined;
  readonly workerId: string | undefined;
  readonly lastPollTime: number;
}

/** The queues: a message is popped, then acknowledged; one that is not comes again. */
export class QueueStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Puts a task into a queue, or moves it there. */
  push(queue: string, taskId: string, priority: number, deliverMs: number): void {
    this.#db.run("INSERT OR IGNORE INTO conductor_queue_name (queue) VALUES (?)", queue);
    this.#db.run("DELETE FROM conductor_queue WHERE task_id = ?", taskId);
    this.#db.run(
      "INSERT INTO conductor_queue (queue, task_id, priority, deliver_ms) VALUES (?, ?, ?, ?)",
      queue,
      taskId,
      priority,
      deliverMs,
    );
  }

  /** Messages that can be handed out now, in the order in which they are. */
  waiting(queue: string, nowMs: number, limit: number): Message[] {
    const rows = this.#db.all(
      "SELECT task_id, priority FROM conductor_queue WHERE queue = ? AND popped_ms IS NULL AND deliver_ms <= ? " +
        "ORDER BY priority DESC, deliver_ms, position LIMIT ?",
      queue,
      nowMs,
      limit,
    );
    return rows.map((row) => ({ taskId: String(row["task_id"]), priority: Number(row["priority"]) }));
  }

  /** When the next message of a queue can be handed out. */
  nextDeliveryMs(queue: string, nowMs: number): number | undefined {
    const row = this.#db.get(
      "SELECT min(deliver_ms) AS due FROM conductor_queue WHERE queue = ? AND popped_ms IS NULL AND deliver_ms > ?",
      queue,
      nowMs,
    );
    return typeof row?.["due"] === "number" ? row["due"] : undefined;
  }

  /** Marks a message as popped: nobody else gets it. */
  pop(taskId: string, nowMs: number): void {
    this.#db.run("UPDATE conductor_queue SET popped_ms = ? WHERE task_id = ?", nowMs, taskId);
  }

  /** Puts a popped message back as it was. */
  unpop(taskId: string): void {
    this.#db.run("UPDATE conductor_queue SET popped_ms = NULL WHERE task_id = ?", taskId);
  }

  /** Removes a popped message: it was handed out. One that was pushed again meanwhile stays. */
  acknowledge(taskId: string): void {
    this.#db.run("DELETE FROM conductor_queue WHERE task_id = ? AND popped_ms IS NOT NULL", taskId);
  }

  /** Removes a message. */
  remove(taskId: string): void {
    this.#db.run("DELETE FROM conductor_queue WHERE task_id = ?", taskId);
  }

  /** Frees messages that were popped too long ago; how many. */
  redeliver(nowMs: number): number {
    return this.#db.run(
      "UPDATE conductor_queue SET popped_ms = NULL WHERE popped_ms IS NOT NULL AND popped_ms <= ?",
      nowMs - REDELIVERY_MS,
    );
  }

  /** When the next message is freed. */
  nextRedeliveryMs(): number | undefined {
    const row = this.#db.get("SELECT min(popped_ms) AS popped FROM conductor_queue WHERE popped_ms IS NOT NULL");
    return typeof row?.["popped"] === "number" ? row["popped"] + REDELIVERY_MS : undefined;
  }

  /** Messages in a queue, popped ones aside. */
  size(queue: string): number {
    const row = this.#db.get(
      "SELECT count(*) AS count FROM conductor_queue WHERE queue = ? AND popped_ms IS NULL",
      queue,
    );
    return Number(row?.["count"] ?? 0);
  }

  /** Messages of a queue that are popped and not acknowledged yet. */
  poppedCount(queue: string): number {
    const row = this.#db.get(
      "SELECT count(*) AS count FROM conductor_queue WHERE queue = ? AND popped_ms IS NOT NULL",
      queue,
    );
    return Number(row?.["count"] ?? 0);
  }

  /** Sizes of all queues that ever were. */
  sizes(): Record<string, number> {
    const rows = this.#db.all("SELECT queue FROM conductor_queue_name ORDER BY queue");
    return Object.fromEntries(rows.map((row) => [String(row["queue"]), this.size(String(row["queue"]))]));
  }

  /** Notes a poll. */
  notePoll(taskType: string, domain: string | undefined, workerId: string | undefined, nowMs: number): void {
    this.#db.run(
      "INSERT OR REPLACE INTO conductor_poll (task_type, domain, worker_id, polled_ms) VALUES (?, ?, ?, ?)",
      taskType,
      domain ?? "",
      workerId ?? null,
      nowMs,
    );
  }

  /** The polls of a task type. */
  polls(taskType: string): PollRecord[] {
    const rows = this.#db.all("SELECT * FROM conductor_poll WHERE task_type = ? ORDER BY domain", taskType);
    return rows.map((row) => ({
      queueName: taskType,
      domain: row["domain"] === "" ? undefined : String(row["domain"]),
      workerId: typeof row["worker_id"] === "string" ? row["worker_id"] : undefined,
      lastPollTime: Number(row["polled_ms"]),
    }));
  }
}
