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
import { createControl, isAlive } from "../support/control.ts";
import type { Repository } from "../support/lakefs-repository.ts";
import { expectNothingLeft, failureCode, outputRef } from "../support/outcome.ts";
import type { SeenRequest } from "../support/proxy.ts";
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

/** The JSON of an update that went over the wire. */
function updateOf(body: string): Readonly<Record<string, unknown>> {
  const parsed: unknown = JSON.parse(body);
  return typeof parsed === "object" && parsed !== null ? { ...parsed } : {};
}

function isUpdate({ method, path }: SeenRequest): boolean {
  return method === "POST" && path === "/api/tasks";
}

async function newBranch(name: string): Promise<{ repository: Repository; ref: string; branch: string }> {
  await repository.createBranch(name, input);
  return { repository, ref: input, branch: name };
}

describe("the lease", () => {
  test("fault C4, case R09: a body that blocks its CPU for three response time-outs keeps its lease and completes", async () => {
    await bench.host();
    const target = await newBranch("blocked-cpu");
    const control = await createControl(run);
    const params = control.params([
      { do: "spin", ms: 3 * LEASE_MS + 500 },
      { do: "write", path: "a.txt", content: "after the loop" },
    ]);
    const workflowId = await run.startTask("once", { ...target, params });
    // Overdue decisions are forced all the time: a lease that ran out once would end the task.
    const ended = await untilEnded(workflowId, { decide: true });
    expect(ended.status).toBe("COMPLETED");
    expect(ended.tasks).toHaveLength(1);
    const [task] = ended.tasks;
    expect(task && outputRef(task)).toBe(await repository.head("blocked-cpu"));
    expect((task?.endTime ?? 0) - (task?.startTime ?? 0)).toBeGreaterThan(3 * LEASE_MS);
  });

  test("case R03, case R17: heartbeats say extendLease and nothing else, and a second worker that polls all the time gets nothing", async () => {
    await bench.host();
    const target = await newBranch("wire");
    const control = await createControl(run);
    const params = control.params([
      { do: "tell", name: "working" },
      { do: "hold", name: "go on" },
    ]);
    const workflowId = await run.startTask("once", { ...target, params });
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
    await bench.host();
    const control = await createControl(run);
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
    const params = control.params([
      { do: "tell", name: "working" },
      { do: "hold", name: "go on" },
    ]);
    const workflowId = await run.startTask("free", { params });
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
    const host = await bench.host();
    const target = await newBranch("paused");
    const control = await createControl(run);
    const params = control.params([
      { do: "tell", name: "working" },
      { do: "hold", name: "go on" },
      { do: "write", path: "a.txt", content: "while paused" },
    ]);
    const workflowId = await run.startTask("once", { ...target, params });
    await control.heard("working");
    await pauseWorkflow(workflowId);
    await control.tell("go on");
    const task = await untilTask(workflowId, ["COMPLETED", "FAILED", "TIMED_OUT"]);
    expect(outputRef(task)).toBe(await repository.head("paused"));
    await resume(workflowId);
    expect((await untilEnded(workflowId)).status).toBe("COMPLETED");
    await expectNothingLeft(repository, host);
  });

  test("rule A3, case R02: where another worker holds the attempt the body is ended, and nothing is published or reported", async () => {
    const host = await bench.host();
    const target = await newBranch("held-elsewhere");
    const control = await createControl(run);
    const params = control.params([
      { do: "write", path: "a.txt", content: "never" },
      { do: "tell", name: "working" },
      { do: "hold", name: "nobody tells this" },
    ]);
    const workflowId = await run.startTask("once", { ...target, params });
    await control.heard("working");
    const before = await untilTask(workflowId, ["IN_PROGRESS"]);
    // Somebody's plain progress update puts the task back into the queue, and another worker takes it.
    await update(before, { status: "IN_PROGRESS" });
    const theirs = await until("another worker gets the task", () => poll(run.name("once"), "somebody-else"));
    expect(theirs).toMatchObject({ taskId: before.taskId, pollCount: 2 });
    await until("the folder is gone", async () => (await host.folders()).length === 0);
    expect(await getTask(before.taskId)).toMatchObject({ status: "IN_PROGRESS", workerId: "somebody-else" });
    const results = conductor.requests.filter((request) => isUpdate(request) && "status" in updateOf(request.body));
    expect(results).toEqual([]);
    expect(await repository.head("held-elsewhere")).toBe(input);
    await update(theirs, { status: "COMPLETED", workerId: "somebody-else", outputData: { theirs: true } });
    expect((await untilEnded(workflowId)).tasks[0]?.outputData).toEqual({ theirs: true });
    await expectNothingLeft(repository, host);
  });
});

describe("the end of a body", () => {
  test("rule A4, case R04: a terminated workflow's body is killed within two heartbeats, and nothing is published", async () => {
    const host = await bench.host();
    const target = await newBranch("terminated");
    const control = await createControl(run);
    const params = control.params([
      { do: "write", path: "a.txt", content: "never" },
      { do: "tell", name: "working" },
      // It listens to the signal.
      { do: "hold", name: "nobody tells this" },
    ]);
    const workflowId = await run.startTask("once", { ...target, params });
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
    expect(await repository.head("terminated")).toBe(input);
  });

  test("rule A4: a body that does not listen to the signal is killed after the grace", async () => {
    const host = await bench.host();
    const target = await newBranch("deaf");
    const control = await createControl(run);
    const params = control.params([{ do: "tell", name: "working" }, { do: "hang" }]);
    const workflowId = await run.startTask("once", { ...target, params });
    await control.heard("working");
    const [body] = await control.runs();
    await terminate(workflowId);
    const patience = { timeoutMs: 2 * HEARTBEAT_MS + GRACE_MS + 1000 };
    await until("the executor is gone", async () => !(await isAlive(body?.pid ?? 0)), patience);
    await expectNothingLeft(repository, host);
    expect(await repository.head("deaf")).toBe(input);
  });

  test("rule A5, case S05: a body that hangs is ended at the task's timeoutSeconds, with all that it has started", async () => {
    const host = await bench.host();
    const target = await newBranch("hung");
    const control = await createControl(run);
    const params = control.params([
      { do: "write", path: "a.txt", content: "never" },
      { do: "spawn" },
      { do: "tell", name: "working" },
      { do: "hang" },
    ]);
    const workflowId = await run.startTask("limited", { ...target, params });
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
    expect(await repository.head("hung")).toBe(input);
    await expectNothingLeft(repository, host);
    // The slot lives on with a new executor.
    const again = await createControl(run);
    const next = await newBranch("after-the-hung");
    const nextId = await run.startTask("limited", { ...next, params: again.params([]) });
    expect((await untilEnded(nextId)).status).toBe("COMPLETED");
  });
});

// The last one: the host goes on looking for up to 21 s, and its slot is taken for so long.
test("case R05, rule R4: after a heartbeat that got no answer the result is read back again, and stays", async () => {
  await bench.host();
  const control = await createControl(run);
  const released = Promise.withResolvers<void>();
  let isHeld = false;
  conductor.meddle((request) => {
    if (!isUpdate(request) || isHeld || updateOf(request.body)["extendLease"] !== true) return undefined;
    isHeld = true;
    return { kind: "delay_request", until: released.promise };
  });
  const params = control.params([
    { do: "tell", name: "working" },
    { do: "hold", name: "go on" },
  ]);
  const workflowId = await run.startTask("free", { params });
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
