import { expect, test } from "vitest";
import type { Value } from "./api.ts";
import { type Given, type GivenNow, step } from "./given.ts";

const policies = ["RETRY", "TIME_OUT_WF", "ALERT_ONLY"] as const;
const retryCounts = [0, 2] as const;

/** What a worker's attempt can come to: three reports, and no report at all. */
const outcomes = ["COMPLETED", "FAILED", "FAILED_WITH_TERMINAL_ERROR", "no report"] as const;
type Outcome = (typeof outcomes)[number];

/** One way to set a task up, and what each of its attempts comes to. */
interface Row {
  readonly outcome: Outcome;
  readonly timeoutPolicy: (typeof policies)[number];
  readonly retryCount: number;
  readonly optional: boolean;
}

const rows: readonly Row[] = outcomes.flatMap((outcome) =>
  policies.flatMap((timeoutPolicy) =>
    retryCounts.flatMap((retryCount) =>
      [false, true].map((optional) => ({ outcome, timeoutPolicy, retryCount, optional })),
    ),
  ),
);

/** What people misjudge (case R08): how outcome, retry count, time-out policy and `optional` act together. */
export function outcomeSuite(given: GivenNow): void {
  test.for(outcomes)(
    "case R08: attempts and end of the workflow, for each policy, retryCount 0 and 2, optional or not: %s",
    async (outcome) => {
      const mine = rows.filter((row) => row.outcome === outcome);
      const seen = await Promise.all(mine.map(async (row) => [nameOf(row), await play(given(), row)] as const));
      expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(mine.map((row) => [nameOf(row), expected(row)])));
    },
  );
}

function nameOf({ timeoutPolicy, retryCount, optional }: Row): string {
  return `${timeoutPolicy}, retryCount ${retryCount}${optional ? ", optional" : ""}`;
}

/**
 * The table: a terminal error is never retried, all other failures are, whatever the policy; a response time-out is one
 * of them. `optional` lets the workflow go on, and shows in the task's status where the engine marks it so.
 */
function expected({ outcome, retryCount, optional }: Row): string {
  if (outcome === "COMPLETED") return "1 attempt, COMPLETED; workflow COMPLETED";
  const isTerminal = outcome === "FAILED_WITH_TERMINAL_ERROR";
  const attempts = isTerminal || retryCount === 0 ? "1 attempt" : `${retryCount + 1} attempts`;
  if (optional) return `${attempts}, COMPLETED_WITH_ERRORS; workflow COMPLETED`;
  const status = outcome === "no report" ? "TIMED_OUT" : outcome;
  return `${attempts}, ${status}; workflow ${outcome === "no report" ? "TIMED_OUT" : "FAILED"}`;
}

/**
 * Runs a workflow whose first step's attempts all come to the same, and says how both ended. A second step follows: of
 * an optional last step the real server completes the workflow without writing the step's end.
 */
async function play(given: Given, { outcome, timeoutPolicy, retryCount, optional }: Row): Promise<string> {
  const type = await given.task({
    timeoutPolicy,
    retryCount,
    responseTimeoutSeconds: outcome === "no report" ? 1 : 60,
  });
  const next = await given.task();
  const id = await given.workflow([step(type, "a", { optional }), step(next, "b")]);
  for (let attempt = 0; ; attempt += 1) {
    const task = await given.poll(type);
    if (outcome !== "no report") await given.report(task, outcome);
    const workflow = await given.decided(id, `attempt ${attempt} of ${id} is over`, (one) => {
      const isOver = one.at("status").raw !== "RUNNING" || tasksOf(one, "b").length > 0;
      return isOver || tasksOf(one, "a").length > attempt + 1;
    });
    if (tasksOf(workflow, "a").length > attempt + 1) continue;
    if (workflow.at("status").raw === "RUNNING") await given.report(await given.poll(next), "COMPLETED");
    const ended = await given.read(id);
    const all = tasksOf(ended, "a");
    const attempts = `${all.length} attempt${all.length === 1 ? "" : "s"}`;
    return `${attempts}, ${all.at(-1)?.at("status").text()}; workflow ${ended.at("status").text()}`;
  }
}

function tasksOf(workflow: Value, referenceName: string): Value[] {
  const tasks = workflow.at("tasks").list();
  return tasks.filter((task) => task.at("referenceTaskName").raw === referenceName);
}
