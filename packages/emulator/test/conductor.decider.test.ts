import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { step, workflowDef } from "../contract/conductor/given.ts";
import { retryRun, terminateRun } from "../src/conductor/decider/admin.ts";
import { decide, decideDraft } from "../src/conductor/decider/decide.ts";
import { Draft, type Changes, type DecisionEnv, type RunState } from "../src/conductor/decider/draft.ts";
import { takeResult } from "../src/conductor/decider/result.ts";
import { retryDelaySeconds } from "../src/conductor/decider/retry.ts";
import { nextStep } from "../src/conductor/decider/steps.ts";
import { nextDueMs } from "../src/conductor/decider/timeouts.ts";
import { parseJson } from "../src/conductor/json.ts";
import { isTaskEnded, isWorkflowEnded, type TaskRun, type WorkflowRun } from "../src/conductor/model/run.ts";
import { defaultTaskDef, readTaskDef } from "../src/conductor/model/task-def.ts";
import { readTaskResult } from "../src/conductor/model/task-result.ts";
import { readWorkflowDef, type WorkflowDef } from "../src/conductor/model/workflow-def.ts";

const START_MS = 1_000_000;

function environment(nowMs: number, firstId: number): DecisionEnv {
  let count = firstId;
  return { nowMs, newId: () => `task-${(count += 1)}`, random: () => 0, activeDomain: () => undefined };
}

function define(tasks: readonly object[], more: object = {}): WorkflowDef {
  const body: unknown = workflowDef(
    "w",
    tasks.map((one) => ({ ...one })),
    { ...more },
  );
  return readWorkflowDef(parseJson(JSON.stringify(body)));
}

function fresh(def: WorkflowDef): WorkflowRun {
  return {
    workflowId: "run",
    workflowDefinition: def,
    status: "RUNNING",
    input: { on: "A" },
    output: {},
    variables: {},
    priority: 0,
    taskToDomain: {},
    createTime: START_MS,
    updateTime: 0,
    endTime: 0,
    lastRetriedTime: 0,
    failedReferenceTaskNames: [],
    failedTaskNames: [],
  };
}

const def = { name: "t", retryCount: 1, retryDelaySeconds: 0, responseTimeoutSeconds: 10, timeoutSeconds: 0 };
const worker = (reference: string): object => ({ ...step("t", reference), taskDefinition: def });
const everything = define([
  worker("first"),
  {
    name: "fork",
    taskReferenceName: "fork",
    type: "FORK_JOIN",
    forkTasks: [
      [worker("a"), worker("b")],
      [
        {
          name: "switch",
          taskReferenceName: "switch",
          type: "SWITCH",
          evaluatorType: "value-param",
          expression: "on",
          inputParameters: { on: "${workflow.input.on}" },
          decisionCases: { A: [worker("c")] },
        },
      ],
    ],
  },
  { name: "join", taskReferenceName: "join", type: "JOIN", joinOn: ["b", "switch"] },
  {
    name: "loop",
    taskReferenceName: "loop",
    type: "DO_WHILE",
    loopCondition: "$.loop.iteration < 2",
    loopOver: [worker("x"), worker("y")],
  },
  worker("last"),
]);

describe("the decider is a pure function", () => {
  test("the same state, time and dice give the same changes, and the state given is not touched", () => {
    const state: RunState = { workflow: fresh(everything), tasks: [] };
    const before = structuredClone(state);
    const first = decide(state, environment(START_MS, 0));
    expect(decide(state, environment(START_MS, 0))).toEqual(first);
    expect(state).toEqual(before);
  });

  test("a state that is decided already stays as it is", () => {
    const first = decide({ workflow: fresh(everything), tasks: [] }, environment(START_MS, 0));
    const second = decide(first, environment(START_MS + 1, 100));
    expect(second.changedTasks).toEqual([]);
    expect(second.pushes).toEqual([]);
    expect(second.workflow).toEqual(first.workflow);
  });
});

describe("steps follow each other", () => {
  test.each([
    ["first", "fork"],
    ["fork", "join"],
    ["a", "b"],
    ["b", "join"],
    ["c", "join"],
    ["switch", "join"],
    ["join", "loop"],
    ["x", "y"],
    ["y", "loop"],
    ["loop", "last"],
    ["last", undefined],
    ["none", undefined],
  ])("after %s comes %s", (reference, next) => {
    expect(nextStep(everything, reference)?.taskReferenceName).toBe(next);
  });
});

describe("limits of time pass at their moment", () => {
  const limited = define([{ ...step("t", "a"), taskDefinition: { ...def, pollTimeoutSeconds: 7 } }], {
    timeoutSeconds: 20,
    timeoutPolicy: "TIME_OUT_WF",
  });
  const first = decide({ workflow: fresh(limited), tasks: [] }, environment(START_MS, 0));
  const polled = first.tasks.map((task) => ({ ...task, status: "IN_PROGRESS" as const, updateTime: START_MS }));

  test.each([
    ["a poll timeout", { ...first }, 7_000, "TIMED_OUT"],
    ["a response timeout", { ...first, tasks: polled }, 10_000, "TIMED_OUT"],
    [
      "a workflow's timeout",
      { ...first, tasks: [{ ...polled[0], updateTime: START_MS + 15_000 }] },
      20_000,
      "CANCELED",
    ],
  ])("%s", (_name, state, afterMs, status) => {
    const run: RunState = { workflow: state.workflow, tasks: state.tasks.filter(isWhole) };
    const early = decide(run, environment(START_MS + afterMs - 1, 100));
    expect(early.tasks.map((task) => task.status)).not.toContain(status);
    expect(nextDueMs(early.workflow, early.tasks, START_MS + afterMs - 1)).toBe(START_MS + afterMs);
    expect(decide(run, environment(START_MS + afterMs, 100)).tasks[0]?.status).toBe(status);
  });
});

function isWhole(task: Partial<TaskRun>): task is TaskRun {
  return task.taskId !== undefined;
}

describe("delays of retries", () => {
  const delays = (more: object): number[] => {
    const definition = readTaskDef(parseJson(JSON.stringify({ name: "t", retryDelaySeconds: 5, ...more })));
    return [0, 1, 2, 3].map((retryCount) => retryDelaySeconds(definition, retryCount));
  };

  test("grow as the logic says, up to the longest one", () => {
    expect(delays({ retryLogic: "FIXED" })).toEqual([5, 5, 5, 5]);
    expect(delays({ retryLogic: "LINEAR_BACKOFF", backoffScaleFactor: 2 })).toEqual([10, 20, 30, 40]);
    expect(delays({ retryLogic: "EXPONENTIAL_BACKOFF" })).toEqual([5, 10, 20, 40]);
    expect(delays({ retryLogic: "EXPONENTIAL_BACKOFF", maxRetryDelaySeconds: 12 })).toEqual([5, 10, 12, 12]);
  });

  test("never leave the whole numbers that Conductor has", () => {
    const definition = { ...defaultTaskDef("t"), retryLogic: "EXPONENTIAL_BACKOFF" as const };
    expect(retryDelaySeconds(definition, 900)).toBe(2_147_483_647);
  });
});

type Move =
  | { readonly kind: "report"; readonly pick: number; readonly status: string }
  | { readonly kind: "wait"; readonly seconds: number }
  | { readonly kind: "retry" }
  | { readonly kind: "terminate" };

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("report" as const), pick: fc.nat(), status: statuses() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("wait" as const), seconds: fc.integer({ min: 1, max: 20 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("retry" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("terminate" as const) }) },
);

function statuses(): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 9, arbitrary: fc.constant("COMPLETED") },
    { weight: 1, arbitrary: fc.constantFrom("FAILED", "FAILED_WITH_TERMINAL_ERROR", "IN_PROGRESS", "CANCELED") },
  );
}

function perform(state: RunState, one: Move, env: DecisionEnv): Changes {
  const draft = new Draft(state, env);
  const open = draft.tasks.filter((task) => !isTaskEnded(task.status) && task.taskType === "t");
  if (one.kind === "report" && open.length > 0) {
    const task = open[one.pick % open.length];
    const body = { workflowInstanceId: "run", taskId: task?.taskId ?? "", status: one.status, outputData: { v: 1 } };
    takeResult(draft, body.taskId, readTaskResult(body, "updateTask"));
  }
  if (one.kind === "wait") decideDraft(draft);
  if (one.kind === "retry" && isWorkflowEnded(draft.workflow.status) && draft.workflow.status !== "COMPLETED")
    retryRun(draft);
  if (one.kind === "terminate" && draft.workflow.status !== "COMPLETED") terminateRun(draft, "x");
  return draft.changes();
}

function checkRun(changes: Changes, queued: Set<string>): void {
  const { workflow, tasks } = changes;
  const seqs = tasks.map((task) => task.seq);
  expect(new Set(seqs).size, "sequence numbers are unique").toBe(seqs.length);
  expect(new Set(tasks.map((task) => task.taskId)).size, "task ids are unique").toBe(tasks.length);
  const open = tasks.filter((task) => !isTaskEnded(task.status));
  expect(new Set(open.map((task) => task.referenceTaskName)).size, "one open attempt of a step").toBe(open.length);
  const attempts = tasks.map((task) => `${task.referenceTaskName}/${task.retryCount}`);
  expect(new Set(attempts).size, "one attempt of each retry count").toBe(attempts.length);
  for (const task of open) {
    expect(isWorkflowEnded(workflow.status), "nothing is open in an ended workflow").toBe(false);
    if (task.status === "SCHEDULED") expect(queued.has(task.taskId), `${task.referenceTaskName} is queued`).toBe(true);
  }
  for (const task of tasks.filter((one) => isTaskEnded(one.status))) {
    expect(task.endTime, `${task.referenceTaskName} has an end`).toBeGreaterThan(0);
    expect(queued.has(task.taskId), `${task.referenceTaskName} is in no queue`).toBe(false);
  }
  if (workflow.status === "RUNNING") expect(open.length, "a running workflow waits for something").toBeGreaterThan(0);
  if (workflow.status === "COMPLETED") expect(newestOf(tasks, "last")?.status).toBe("COMPLETED");
}

function newestOf(tasks: readonly TaskRun[], reference: string): TaskRun | undefined {
  return tasks.findLast((task) => task.referenceTaskName === reference);
}

function track(queued: Set<string>, changes: Changes): void {
  for (const taskId of changes.unqueuedTaskIds) queued.delete(taskId);
  for (const push of changes.pushes) queued.add(push.taskId);
}

describe("whatever workers, time and people do", () => {
  property.prop([fc.array(move, { maxLength: 40 })])("a run keeps its order", (moves) => {
    const queued = new Set<string>();
    let nowMs = START_MS;
    let changes = decide({ workflow: fresh(everything), tasks: [] }, environment(nowMs, 0));
    track(queued, changes);
    checkRun(changes, queued);
    for (const [index, one] of moves.entries()) {
      nowMs += one.kind === "wait" ? one.seconds * 1_000 : 1;
      changes = perform(changes, one, environment(nowMs, (index + 1) * 1_000));
      track(queued, changes);
      checkRun(changes, queued);
    }
  });

  property.prop([fc.array(fc.nat(), { minLength: 30, maxLength: 30 })])(
    "a run that is only completed ends COMPLETED",
    (picks) => {
      let changes = decide({ workflow: fresh(everything), tasks: [] }, environment(START_MS, 0));
      for (const [index, pick] of picks.entries()) {
        const env = environment(START_MS + index, (index + 1) * 1_000);
        changes = perform(changes, { kind: "report", pick, status: "COMPLETED" }, env);
      }
      expect(changes.workflow.status).toBe("COMPLETED");
      const worked = changes.tasks.filter((task) => task.taskType === "t").map((task) => task.referenceTaskName);
      expect(worked.toSorted()).toEqual(["a", "b", "c", "first", "last", "x__1", "x__2", "y__1", "y__2"]);
    },
  );
});
