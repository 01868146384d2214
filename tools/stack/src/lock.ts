import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { StackError, messageOf } from "./errors.ts";

const RETRY_MS = 200;

/** Names a lock: its file, what it guards in words, and how long to wait for another holder. */
export interface LockRequest {
  readonly file: string;
  readonly guards: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/**
 * Runs `work` while no other process holds the same lock. The lock is SQLite's on an open file, so the kernel frees it
 * whatever way its holder dies. Throws LOCKED (exit 1) after the timeout.
 */
export async function withLock<Result>(request: LockRequest, work: () => Promise<Result>): Promise<Result> {
  await mkdir(dirname(request.file), { recursive: true, mode: 0o700 });
  const deadline = Date.now() + request.timeoutMs;
  let told = false;
  for (let lock = tryLock(request.file); ; lock = tryLock(request.file)) {
    if (lock !== undefined) {
      using held = lock;
      return await work().finally(() => held.exec("ROLLBACK"));
    }
    request.signal.throwIfAborted();
    if (Date.now() > deadline) {
      throw new StackError({
        code: "LOCKED",
        message: `another stack command is at work on ${request.guards} (waited ${request.timeoutMs / 1000} s)`,
        hint: "let it end, or end it, then try again",
        exitCode: 1,
      });
    }
    if (!told) request.say(`waiting for another stack command at work on ${request.guards}`);
    told = true;
    await sleep(RETRY_MS, undefined, { signal: request.signal });
  }
}

function tryLock(file: string): DatabaseSync | undefined {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec("BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database.close();
    if (messageOf(error).includes("locked")) return undefined;
    throw error;
  }
}
