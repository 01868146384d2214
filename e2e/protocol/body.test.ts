import { beforeAll, describe, expect, test } from "vitest";
import { decide, getTask, poll, terminate, untilEnded, untilTask } from "../support/conductor.ts";
import { createControl, isAlive } from "../support/control.ts";
import { startHost } from "../support/host.ts";
import { createRepository, type Repository } from "../support/lakefs-repository.ts";
import { expectNothingLeft, failureCode, outputRef } from "../support/outcome.ts";
import { startProxy } from "../support/proxy.ts";
import { realServers } from "../support/settings.ts";
import { createTestRun, type TestRun } from "../support/test-run.ts";
import { until } from "../support/until.ts";

/** `responseSeconds` of the tasks. */
const LEASE_MS = 3000;
/** A third of it. */
const HEARTBEAT_MS = 1000;
/** `timeout.seconds` of the task `limited`. */
const BODY_LIMIT_MS = 3000;
/** Grace between signal and kill. */
const GRACE_MS = 5000;

let run: TestRun;
let repository: Repository;
let input: string;

/** The JSON of an update that went over the wire. */
function updateOf(body: string): Readonly<Record<string, unknown>> {
  const parsed: unknown = JSON.parse(body);
  return typeof parsed === "object" && parsed !== null ? { ...parsed } : {};
}

beforeAll(async () => {
  run = await createTestRun(["once", "limited"]);
  repository = await createRepository("body");
  input = await repository.commitTree({ "work/a.txt": "a" });
});

async function newBranch(name: string): Promise<{ repository: Repository; ref: string; branch: string }> {
  await repository.createBranch(name, input);
  return { repository, ref: input, branch: name };
}

describe("the lease", () => {
  test("case R09: a body that blocks its CPU for three response time-outs keeps its lease and completes", async () => {
    await startHost(run);
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
    const proxy = await startProxy(realServers().conductorUrl);
    await startHost(run, { conductorUrl: proxy.url });
    const target = await newBranch("wire");
    const control = await createControl(run);
    const params = control.params([
      { do: "tell", name: "working" },
      { do: "hold", name: "go on" },
    ]);
    const workflowId = await run.startTask("once", { ...target, params });
    await control.heard("working");
    const updates = () => proxy.requests.filter(({ method, path }) => method === "POST" && path === "/api/tasks");
    await until("three heartbeats have been sent", async () => {
      expect(await poll(run.name("once"), "somebody-else")).toBeUndefined();
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
    expect(proxy.requests.filter(({ path }) => path.includes("update-v2"))).toEqual([]);
  });

  test("case R05, rule R4: a heartbeat under way is awaited before the result is sent, and the task does not return to IN_PROGRESS", async () => {
    const proxy = await startProxy(realServers().conductorUrl);
    await startHost(run, { conductorUrl: proxy.url });
    const target = await newBranch("late-heartbeat");
    const control = await createControl(run);
    const params = control.params([
      { do: "tell", name: "working" },
      { do: "hold", name: "go on" },
      { do: "write", path: "a.txt", content: "done" },
    ]);
    const released = Promise.withResolvers<void>();
    const events: string[] = [];
    let isHeld = false;
    proxy.meddle(({ method, path, body }) => {
      if (method !== "POST" || path !== "/api/tasks") return undefined;
      const update = updateOf(body);
      events.push(update["extendLease"] === true ? "heartbeat" : String(update["status"]));
      if (update["extendLease"] !== true || isHeld) return undefined;
      isHeld = true;
      return { kind: "delay_request", until: released.promise.then(() => events.push("heartbeat passed")) };
    });
    const workflowId = await run.startTask("once", { ...target, params });
    await control.heard("working");
    await until("a heartbeat is under way", () => isHeld);
    await control.tell("go on");
    await until("the attempt has published", async () => (await repository.head("late-heartbeat")) !== input);
    released.resolve();
    const task = await untilTask(workflowId, ["COMPLETED", "FAILED", "TIMED_OUT"]);
    expect(events.indexOf("heartbeat passed")).toBeLessThan(events.indexOf("COMPLETED"));
    expect(outputRef(task)).toBe(await repository.head("late-heartbeat"));
    await decide(workflowId);
    expect((await getTask(task.taskId)).status).toBe("COMPLETED");
  });
});

describe("the end of a body", () => {
  test("rule A4, case R04: a terminated workflow's body is killed within two heartbeats, and nothing is published", async () => {
    const host = await startHost(run);
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
    const host = await startHost(run);
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
    const host = await startHost(run);
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
    expect(failureCode(task)).toBe("body_timeout");
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
