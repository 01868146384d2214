import type { Context } from "../context.ts";
import type { HookRecord } from "./events.ts";

/** One hook's part of a run. */
export interface HookRun {
  readonly id: string;
  readonly action: string;
  readonly hookId: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly status: "completed" | "failed" | "skipped";
  readonly output: string;
}

const LATEST_S = 0xff_ff_ff_ff;
const COUNTER_SIZE = 1_048_576;
const BASE = 32;
const SECONDS_DIGITS = 7;
const COUNTER_DIGITS = 4;
let counter = 0;

/** A new name for a run: later seconds sort first, as on the real server; within a second earlier runs do. */
export function newRunId(context: Context): string {
  counter = (counter + 1) % COUNTER_SIZE;
  const seconds = LATEST_S - Math.floor(context.clock.nowMs() / 1000);
  const count = counter.toString(BASE).padStart(COUNTER_DIGITS, "0");
  return `${seconds.toString(BASE).padStart(SECONDS_DIGITS, "0")}r${count}`;
}

/** Keeps what the hooks of an event did. */
export function saveRun(context: Context, record: HookRecord, hooks: readonly HookRun[]): void {
  const started = hooks.filter((hook) => hook.status !== "skipped");
  const passed = hooks.every((hook) => hook.status !== "failed");
  const startMs = Math.min(...started.map((hook) => hook.startMs));
  const endMs = Math.max(...started.map((hook) => hook.endMs));
  context.db.run(
    `INSERT INTO runs (repository, id, branch, commit_id, event, start_ms, end_ms, passed)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    record.repository,
    record.runId,
    record.branch,
    record.commitId,
    record.event,
    startMs,
    endMs,
    passed ? 1 : 0,
  );
  for (const hook of hooks) {
    context.db.run(
      `INSERT INTO hook_runs (repository, run_id, id, action, hook_id, start_ms, end_ms, status, output)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      record.repository,
      record.runId,
      hook.id,
      hook.action,
      hook.hookId,
      hook.startMs,
      hook.endMs,
      hook.status,
      hook.output,
    );
  }
}

/** Writes down which commit a pre-commit run was for. */
export function setRunCommit(context: Context, repository: string, runId: string, commitId: string): void {
  context.db.run("UPDATE runs SET commit_id = ? WHERE repository = ? AND id = ?", commitId, repository, runId);
}
