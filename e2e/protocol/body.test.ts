import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import {
  decide,
  getTask,
  pause as pauseWorkflow,
  poll,
  queueSize,
  resume,
  terminate,
  untilEnded,
  untilTask,
  update,
} from "../support/conductor.ts";
import { createBench } from "../support/bench.ts";
import { isAlive } from "../support/control.ts";
import { expectNothingLeft, failureCode, outputRef } from "../support/outcome.ts";
import { isResult, isUpdate, updateOf } from "../support/requests.ts";
import { until } from "../support/until.ts";

/** `responseSeconds` of the tasks. */
const LEASE_MS = 3000;
/** A third of it. */
const HEARTBEAT_MS = 1000;
/** `timeout.seconds` of the task `limited`. */
const BODY_LIMIT_MS = 3000;
/** How long a heartbeat is held back that is still awaited: less than a heartbeat's own time limit. */
const HELD_BACK_MS = 600;
/** The first pause of rule R4's repeated read, and some clock error. */
const LATE_READ_MS = 950;
/** Grace between signal and kill. */
const GRACE_MS = 5000;

const bench = await createBench({ tasks: ["once", "limited", "free"], label: "body", tree: { "work/a.txt": "a" } });
const { run, repository, input, conductor } = bench;

/** A target of its own for a test. */
async function newTarget(): Promise<{ branch: string }> {
  return { branch: await repository.newBranch("target", input) };
}

describe("the lease", () => {
  test("fault C4, case R09: a body that blocks its CPU for three response time-outs keeps its lease and completes", async () => {
    const target = await newTarget();
    const { workflowId } = await bench.start("once", target, [
      { do: "spin", ms: 3 * LEASE_MS + 500 },
      { do: "write", path: "a.txt", content: "after the loop" },
    ]);
    // Overdue decisions are forced all the time: a lease that ran out once would end the task.
    const ended = await untilEnded(workflowId, { decide: true });
    expect(ended.status).toBe("COMPLETED");
    expect(ended.tasks).toHaveLength(1);
    const [task] = ended.tasks;
    expect(task && outputRef(task)).toBe(await repository.head(target.branch));
    expect((task?.endTime ?? 0) - (task?.startTime ?? 0)).toBeGreaterThan(3 * LEASE_MS);
  });

  test("case R03, case R17: heartbeats say extendLease and nothing else, and a second worker that polls all the time gets nothing", async () => {
    const target = await newTarget();
    const { control, workflowId } = await bench.start("once", target, [
      { do: "tell", name: "working" },
      { do: "hold", name: "go on" },
    ]);
    await control.heard("working");
    const updates = () => conductor.requests.filter(isUpdate);
    await until("three heartbeats have been sent", async () => {
      expect(await poll(run.name("once"), "somebody-else")).toBeUndefined();
      expect(await queueSize(run.name("once"))).toBe(0);
      await decide(workflowId);
      return updates().length >= 3;
    });
    const heartbeats = updates().map(({ body }) => updateOf(body));
    for (const beat of heartbeats) {
      expect(beat["extendLease"]).toBe(true);
      // A plain IN_PROGRESS would put the task back into the queue.
      expect(beat).not.toHaveProperty("status");
    }
    await control.tell("go on");
    const task = await untilTask(workflowId, ["COMPLETED", "FAILED", "TIMED_OUT"]);
    expect(task).toMatchObject({ status: "COMPLETED", pollCount: 1 });
    expect(await poll(run.name("once"), "somebody-else")).toBeUndefined();
    expect(conductor.requests.filter(({ path }) => path.includes("update-v2"))).toEqual([]);
  });

  test("case R05, rule R4: a heartbeat under way is awaited before the result is sent", async () => {
    const events: string[] = [];
    let isHeld = false;
    conductor.meddle((request) => {
      if (!isUpdate(request)) return undefined;
      const sent = updateOf(request.body);
      events.push(sent["extendLease"] === true ? "heartbeat" : String(sent["status"]));
      if (sent["extendLease"] !== true || isHeld) return undefined;
      isHeld = true;
      const passed = pause(HELD_BACK_MS).then(() => events.push("heartbeat passed"));
      return { kind: "delay_request", until: passed };
    });
    const { control, workflowId } = await bench.start("free", undefined, [
      { do: "tell", name: "working" },
      { do: "hold", name: "go on" },
    ]);
    await control.heard("working");
    await until("a heartbeat is under way", () => isHeld);
    await control.tell("go on");
    const task = await untilTask(workflowId, ["COMPLETED", "FAILED", "TIMED_OUT"]);
    expect(events).toEqual(["heartbeat", "heartbeat passed", "COMPLETED"]);
    await decide(workflowId);
    expect((await getTask(task.taskId)).status).toBe("COMPLETED");
  });
});

describe("the attempt", () => {
  test("rule A1: a paused workflow refuses nothing: its running task publishes, and its result is taken", async () => {
    const target = await newTarget();
    const { host, control, workflowId } = await bench.start("once", target, [
      { do: "tell", name: "working" },
      { do: "hold", name: "go on" },
      { do: "write", path: "a.txt", content: "while paused" },
    ]);
    await control.heard("working");
    await pauseWorkflow(workflowId);
    await control.tell("go on");
    const task = await untilTask(workflowId, ["COMPLETED", "FAILED", "TIMED_OUT"]);
    expect(outputRef(task)).toBe(await repository.head(target.branch));
    await resume(workflowId);
    expect((await untilEnded(workflowId)).status).toBe("COMPLETED");
    await expectNothingLeft(repository, host);
  });

  test("rule A3, case R02: where another worker holds the attempt the body is ended, and nothing is published or reported", async () => {
    const target = await newTarget();
    const { host, control, workflowId } = await bench.start("once", target, [
      { do: "write", path: "a.txt", content: "never" },
      { do: "tell", name: "working" },
      { do: "hold", name: "nobody tells this" },
    ]);
    await control.heard("working");
    const before = await untilTask(workflowId, ["IN_PROGRESS"]);
    // Somebody's plain progress update puts the task back into the queue, and another worker takes it.
    await update(before, { status: "IN_PROGRESS" });
    const theirs = await until("another worker gets the task", () => poll(run.name("once"), "somebody-else"));
    expect(theirs).toMatchObject({ taskId: before.taskId, pollCount: 2 });
    await until("the folder is gone", async () => (await host.folders()).length === 0);
    expect(await getTask(before.taskId)).toMatchObject({ status: "IN_PROGRESS", workerId: "somebody-else" });
    expect(conductor.requests.filter(isResult)).toEqual([]);
    expect(await repository.head(target.branch)).toBe(input);
    await update(theirs, { status: "COMPLETED", workerId: "somebody-else", outputData: { theirs: true } });
    expect((await untilEnded(workflowId)).tasks[0]?.outputData).toEqual({ theirs: true });
    await expectNothingLeft(repository, host);
  });
});

describe("the end of a body", () => {
  test("rule A4, case R04: a terminated workflow's body is killed within two heartbeats, and nothing is published", async () => {
    const target = await newTarget();
    const { host, control, workflowId } = await bench.start("once", target, [
      { do: "write", path: "a.txt", content: "never" },
      { do: "tell", name: "working" },
      // It listens to the signal.
      { do: "hold", name: "nobody tells this" },
    ]);
    await control.heard("working");
    const [body] = await control.runs();
    const startMs = performance.now();
    await terminate(workflowId);
    await until("folder and branch are gone", async () => (await host.folders()).length === 0, {
      timeoutMs: 2 * HEARTBEAT_MS + 500,
    });
    expect(performance.now() - startMs).toBeLessThan(2 * HEARTBEAT_MS + 500);
    expect(body?.workspace).not.toBeNull();
    await expectNothingLeft(repository, host);
    expect(await repository.head(target.branch)).toBe(input);
  });

  test("rule A4, case R04, case R07: the body of a terminated workflow that does not listen is gone seconds after the grace", async () => {
    const target = await newTarget();
    const { host, control, workflowId } = await bench.start("once", target, [
      { do: "tell", name: "working" },
      { do: "hang" },
    ]);
    await control.heard("working");
    const [body] = await control.runs();
    expect(await isAlive(body?.pid ?? 0)).toBe(true);
    const startMs = performance.now();
    await terminate(workflowId);
    const patience = { timeoutMs: 2 * HEARTBEAT_MS + GRACE_MS + 1000 };
    await until("the executor is gone", async () => !(await isAlive(body?.pid ?? 0)), patience);
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(GRACE_MS);
    await expectNothingLeft(repository, host);
    expect(await repository.head(target.branch)).toBe(input);
  });

  test("rule A5, case S05: a body that hangs is ended at the task's timeoutSeconds, with all that it has started", async () => {
    const target = await newTarget();
    const { host, control, workflowId } = await bench.start("limited", target, [
      { do: "write", path: "a.txt", content: "never" },
      { do: "spawn" },
      { do: "tell", name: "working" },
      { do: "hang" },
    ]);
    await control.heard("working");
    const [body] = await control.runs();
    const children = await control.spawned();
    expect(await Promise.all(children.map(isAlive))).toEqual([true, true]);
    const task = await untilTask(workflowId, ["FAILED", "TIMED_OUT", "COMPLETED", "FAILED_WITH_TERMINAL_ERROR"]);
    // The engine may notice the same limit first; the body is ended in either case.
    if (task.status !== "TIMED_OUT") expect(failureCode(task)).toBe("body_timeout");
    expect(task.endTime - task.startTime).toBeGreaterThanOrEqual(BODY_LIMIT_MS - 100);
    const pids = [body?.pid ?? 0, ...children];
    await until("executor, shell and its child are gone", async () => {
      return (await Promise.all(pids.map(isAlive))).every((alive) => !alive);
    });
    expect(await repository.head(target.branch)).toBe(input);
    await expectNothingLeft(repository, host);
    // The slot lives on with a new executor.
    const next = await bench.start("limited", await newTarget(), []);
    expect((await untilEnded(next.workflowId)).status).toBe("COMPLETED");
  });
});

// The last one: the host goes on looking for up to 21 s, and its slot is taken for so long.
test("case R05, rule R4: after a heartbeat that got no answer the result is read back again, and stays", async () => {
  const released = Promise.withResolvers<void>();
  let isHeld = false;
  conductor.meddle((request) => {
    if (!isUpdate(request) || isHeld || updateOf(request.body)["extendLease"] !== true) return undefined;
    isHeld = true;
    return { kind: "delay_request", until: released.promise };
  });
  const { control, workflowId } = await bench.start("free", undefined, [
    { do: "tell", name: "working" },
    { do: "hold", name: "go on" },
  ]);
  await control.heard("working");
  await until("a heartbeat is under way", () => isHeld);
  await control.tell("go on");
  const task = await untilTask(workflowId, ["COMPLETED", "FAILED", "TIMED_OUT"]);
  expect(task.status).toBe("COMPLETED");
  const reported = conductor.requests.findLastIndex((request) => isUpdate(request));
  const reads = () => {
    const after = conductor.requests.slice(reported + 1);
    return after.filter(({ method, path }) => method === "GET" && path === `/api/tasks/${task.taskId}`);
  };
  // The heartbeat that everybody has forgotten arrives after the result.
  released.resolve();
  await until("the result is read back twice", () => reads().length >= 2);
  const [first, second] = reads();
  expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(LATE_READ_MS);
  expect((await getTask(task.taskId)).status).toBe("COMPLETED");
});
