import { DatabaseSync, type SQLInputValue } from "node:sqlite";

/** A value of a column. */
export type SqlValue = string | number | null | Uint8Array;

/** A row as it was read. */
export type Row = Readonly<Record<string, unknown>>;

/** One SQLite file. Synchronous: a request's whole reading and writing happens without another's in between. */
export interface Database {
  /** Runs statements without parameters, such as a schema. */
  exec(sql: string): void;
  /** Runs one statement; the number of changed rows. */
  run(sql: string, ...values: readonly SqlValue[]): number;
  /** The first row, if any. */
  get(sql: string, ...values: readonly SqlValue[]): Row | undefined;
  /** All rows. */
  all(sql: string, ...values: readonly SqlValue[]): Row[];
  /**
   * Performs `work` in one transaction: all of it is kept, or, where it throws, none. A nested call joins the outer.
   */
  transaction<T>(work: () => T): T;
  /** SQLite's own check of the file: its findings, none where it is sound. */
  integrityFindings(): string[];
  /** Closes the file. */
  close(): void;
}

const BUSY_TIMEOUT_MS = 5_000;

/** Opens (or makes) a file in WAL mode. `durable: false` forces nothing to disk. */
export function openDatabase(path: string, durable: boolean): Database {
  return new SqliteDatabase(path, durable);
}

/** A lock that this process holds. The kernel frees it when the process is gone, however it went. */
export interface FolderLock {
  release(): void;
}

/** Takes the lock of a folder; undefined where another process (or another emulator of this one) has it. */
export function lockFolder(path: string): FolderLock | undefined {
  const file = new DatabaseSync(path, { timeout: 0 });
  try {
    file.exec("PRAGMA locking_mode = EXCLUSIVE");
    file.exec("CREATE TABLE IF NOT EXISTS lock (holder INTEGER) STRICT");
    file.exec("BEGIN EXCLUSIVE");
    return { release: () => file.close() };
  } catch {
    // SQLite says "database is locked" here and nothing else can be wrong with an empty file of our own.
    file.close();
    return undefined;
  }
}

// node:sqlite is to be renamed; this is the only file that knows it.
class SqliteDatabase implements Database {
  readonly #file: DatabaseSync;
  readonly #statements = new Map<string, ReturnType<DatabaseSync["prepare"]>>();
  #depth = 0;

  constructor(path: string, durable: boolean) {
    this.#file = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    this.#file.exec("PRAGMA journal_mode = WAL");
    this.#file.exec(`PRAGMA synchronous = ${durable ? "FULL" : "OFF"}`);
    this.#file.exec("PRAGMA foreign_keys = ON");
  }

  exec(sql: string): void {
    this.#file.exec(sql);
  }

  run(sql: string, ...values: readonly SqlValue[]): number {
    return Number(this.#prepare(sql).run(...inputs(values)).changes);
  }

  get(sql: string, ...values: readonly SqlValue[]): Row | undefined {
    return this.#prepare(sql).get(...inputs(values));
  }

  all(sql: string, ...values: readonly SqlValue[]): Row[] {
    return this.#prepare(sql).all(...inputs(values));
  }

  transaction<T>(work: () => T): T {
    if (this.#depth > 0) return work();
    this.#file.exec("BEGIN IMMEDIATE");
    this.#depth += 1;
    try {
      const result = work();
      this.#file.exec("COMMIT");
      return result;
    } catch (error) {
      this.#file.exec("ROLLBACK");
      throw error;
    } finally {
      this.#depth -= 1;
    }
  }

  integrityFindings(): string[] {
    const rows = this.#file.prepare("PRAGMA integrity_check").all();
    return rows.map((row) => String(row["integrity_check"])).filter((finding) => finding !== "ok");
  }

  close(): void {
    this.#statements.clear();
    this.#file.close();
  }

  #prepare(sql: string): ReturnType<DatabaseSync["prepare"]> {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const made = this.#file.prepare(sql);
    this.#statements.set(sql, made);
    return made;
  }
}

function inputs(values: readonly SqlValue[]): SQLInputValue[] {
  return [...values];
}
