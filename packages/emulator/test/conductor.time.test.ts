import { describe, expect, test } from "vitest";
import { ids, states, step, taskDef, unique, until } from "../contract/conductor/given.ts";
import { localConductor } from "./conductor-tools/local.ts";

const { emulator, given } = localConductor();
const SECOND_MS = 1_000;

describe("the sweep notices what is due by itself, when the clock says so", () => {
  test("fault C9: a response timeout is noticed at its moment, and not before", async () => {
    const { id, task } = await given().running({ responseTimeoutSeconds: 600 });
    emulator().clock.advance(590 * SECOND_MS);
    expect(states(await given().read(id))).toEqual(["a IN_PROGRESS"]);
    emulator().clock.advance(11 * SECOND_MS);
    expect(states(await given().read(id))).toEqual(["a TIMED_OUT", "a SCHEDULED"]);
    expect((await given().readTask(task)).at("status").raw).toBe("TIMED_OUT");
  });

  test("a heartbeat moves that moment", async () => {
    const { id, task } = await given().running({ responseTimeoutSeconds: 600 });
    emulator().clock.advance(500 * SECOND_MS);
    await given().ok(given().api.post("/tasks", { ...ids(task), extendLease: true }));
    emulator().clock.advance(500 * SECOND_MS);
    expect(states(await given().read(id))).toEqual(["a IN_PROGRESS"]);
    emulator().clock.advance(101 * SECOND_MS);
    expect(states(await given().read(id))).toEqual(["a TIMED_OUT", "a SCHEDULED"]);
  });

  test("case C12: a poll timeout counts from the scheduling, delays aside", async () => {
    const type = await given().task({ pollTimeoutSeconds: 30 });
    const id = await given().workflow([step(type, "a", { startDelay: 10 })]);
    emulator().clock.advance(49 * SECOND_MS);
    expect(states(await given().read(id))).toEqual(["a SCHEDULED"]);
    emulator().clock.advance(2 * SECOND_MS);
    expect(states(await given().read(id))).toEqual(["a TIMED_OUT", "a SCHEDULED"]);
  });

  test("a workflow's timeout", async () => {
    const id = await given().workflow([step("t", "a")], {}, { timeoutSeconds: 100, timeoutPolicy: "TIME_OUT_WF" });
    emulator().clock.advance(99 * SECOND_MS);
    expect((await given().read(id)).at("status").raw).toBe("RUNNING");
    emulator().clock.advance(2 * SECOND_MS);
    expect((await given().read(id)).at("status").raw).toBe("TIMED_OUT");
  });

  test("all retries of a task that nobody answers for, one after the other", async () => {
    const type = await given().task({ pollTimeoutSeconds: 10, retryCount: 3 });
    const id = await given().workflow([step(type, "a")]);
    for (let n = 0; n < 4; n += 1) emulator().clock.advance(11 * SECOND_MS);
    const workflow = await given().read(id);
    expect(workflow.at("status").raw).toBe("TIMED_OUT");
    expect(workflow.at("tasks").list()).toHaveLength(4);
  });

  test("a paused workflow's tasks time out after it goes on", async () => {
    const { id } = await given().running({ responseTimeoutSeconds: 60 });
    await given().ok(given().api.put(`/workflow/${id}/pause`));
    emulator().clock.advance(120 * SECOND_MS);
    expect(states(await given().read(id))).toEqual(["a IN_PROGRESS"]);
    await given().ok(given().api.put(`/workflow/${id}/resume`));
    expect(states(await given().read(id))).toEqual(["a TIMED_OUT", "a SCHEDULED"]);
  });
});

describe("queues follow the clock", () => {
  test("a delayed retry can be polled after its delay", async () => {
    const { type, task } = await given().running({ retryDelaySeconds: 300 });
    await given().report(task, "FAILED");
    emulator().clock.advance(299 * SECOND_MS);
    expect(await given().pollNow(type)).toEqual([]);
    emulator().clock.advance(2 * SECOND_MS);
    expect(await given().pollNow(type)).toHaveLength(1);
  });

  test("jitter delays a retry by up to what the definition says", async () => {
    const { type, task } = await given().running({ retryDelaySeconds: 10, backoffJitterMs: 5_000 });
    await given().report(task, "FAILED");
    emulator().clock.advance(9 * SECOND_MS);
    expect(await given().pollNow(type)).toEqual([]);
    emulator().clock.advance(7 * SECOND_MS);
    expect(await given().pollNow(type)).toHaveLength(1);
  });

  test("a waiting poll ends when the clock passes its timeout, and gets what becomes due before", async () => {
    const { type, task } = await given().running({ retryDelaySeconds: 3 });
    await given().report(task, "FAILED");
    const waiting = given().api.get(`/tasks/poll/batch/${type}?count=1&timeout=5000`);
    const empty = given().api.get(`/tasks/poll/batch/${unique("none")}?count=1&timeout=5000`);
    const ended = Promise.all([waiting, empty]);
    const [got, nothing] = await until("both polls end", async () => {
      emulator().clock.advance(SECOND_MS);
      return await Promise.race([ended, new Promise<undefined>((resolve) => setImmediate(resolve, undefined))]);
    });
    expect(got.body.list()).toHaveLength(1);
    expect(nothing.body.list()).toEqual([]);
  });

  test("fault C5: a task whose acknowledgement got lost comes again after a minute, with the same id and a higher poll count", async () => {
    const type = await given().task({ responseTimeoutSeconds: 600 });
    const id = await given().workflow([step(type, "a")]);
    emulator().conductor.controls.loseAcknowledgements(1);
    const first = await given().poll(type);
    emulator().clock.advance(50 * SECOND_MS);
    expect(await given().pollNow(type)).toEqual([]);
    emulator().clock.advance(11 * SECOND_MS);
    const [second] = await given().pollNow(type);
    expect(second?.raw).toMatchObject({
      taskId: first.at("taskId").raw,
      retryCount: 0,
      scheduledTime: first.at("scheduledTime").raw,
      pollCount: 2,
    });
    emulator().clock.advance(120 * SECOND_MS);
    expect(await given().pollNow(type)).toEqual([]);
    expect(states(await given().read(id))).toEqual(["a IN_PROGRESS"]);
  });

  test("a worker that has not polled for ten seconds does not make its domain active", async () => {
    const type = await given().task();
    const name = await given().workflowDef([step(type, "a")]);
    await given().ok(given().api.get(`/tasks/poll/batch/${type}?count=1&timeout=0&domain=north`));
    emulator().clock.advance(11 * SECOND_MS);
    const body = { name, taskToDomain: { [type]: "north,south" } };
    const { text } = await given().ok(given().api.post("/workflow", body));
    expect((await given().read(text)).at("tasks", 0, "domain").raw).toBe("south");
  });
});

describe("a heartbeat reads the task and writes it back", () => {
  test("case R05, fault C7: one in flight overwrites a result, as on the real server", async () => {
    const { id, task } = await given().running();
    emulator().conductor.controls.heartbeatGapMs = 1_000;
    const heartbeat = given().api.post("/tasks", { ...ids(task), extendLease: true });
    await until("the heartbeat is in its gap", async () => {
      await given().report(task, "COMPLETED", { outputData: { v: 1 } });
      return (await given().readTask(task)).at("status").raw === "COMPLETED" ? true : undefined;
    });
    emulator().clock.advance(2 * SECOND_MS);
    await given().ok(heartbeat);
    emulator().conductor.controls.heartbeatGapMs = 0;
    expect((await given().readTask(task)).raw).toMatchObject({ status: "IN_PROGRESS", outputData: {} });
    expect((await given().read(id)).at("status").raw).toBe("COMPLETED");
    await given().report(task, "COMPLETED");
    expect((await given().readTask(task)).at("status").raw).toBe("IN_PROGRESS");
  });
});

test("registering a definition while runs are on their way changes none of them", async () => {
  const { id, type } = await given().running({ responseTimeoutSeconds: 600 });
  await given().ok(given().api.post("/metadata/taskdefs", [taskDef(type, { responseTimeoutSeconds: 1 })]));
  emulator().clock.advance(30 * SECOND_MS);
  expect(states(await given().read(id))).toEqual(["a IN_PROGRESS"]);
});

test("a fork whose branch failed goes on after a retry and ends: joins are looked at when something ends, not in the background", async () => {
  const type = await given().task();
  const id = await given().workflow([
    {
      name: "fork",
      taskReferenceName: "fork",
      type: "FORK_JOIN",
      forkTasks: [[step(type, "a"), step(type, "b")], [step(type, "c")]],
    },
    { name: "join", taskReferenceName: "join", type: "JOIN", joinOn: ["b", "c"] },
    step(type, "z"),
  ]);
  const [first] = await given().pollNow(type, 2);
  if (first !== undefined) await given().report(first, "FAILED_WITH_TERMINAL_ERROR");
  expect(states(await given().read(id))).toContain("join CANCELED");
  await given().ok(given().api.post(`/workflow/${id}/retry`));
  expect(states(await given().read(id))).toContain("join IN_PROGRESS");
  for (const task of await given().pollNow(type, 2)) await given().report(task, "COMPLETED");
  for (let n = 0; n < 2; n += 1) await given().report(await given().poll(type), "COMPLETED");
  expect((await given().read(id)).at("status").raw).toBe("COMPLETED");
});

test("a rerun inside a branch whose join was cancelled ends the workflow", async () => {
  const type = await given().task();
  const id = await given().workflow([
    {
      name: "fork",
      taskReferenceName: "fork",
      type: "FORK_JOIN",
      forkTasks: [[step(type, "a"), step(type, "b")], [step(type, "c")]],
    },
    { name: "join", taskReferenceName: "join", type: "JOIN", joinOn: ["b", "c"] },
  ]);
  for (const task of await given().pollNow(type, 2)) await given().report(task, "COMPLETED");
  const last = await given().poll(type);
  await given().report(last, "FAILED_WITH_TERMINAL_ERROR");
  await given().ok(given().api.post(`/workflow/${id}/rerun`, { reRunFromTaskId: last.at("taskId").raw }));
  await given().report(await given().poll(type), "COMPLETED");
  expect((await given().read(id)).at("status").raw).toBe("COMPLETED");
});
