import { expect, test } from "vitest";
import { type GivenNow, ids, states, step, unique, until } from "./given.ts";

/** What workers report, and heartbeats. */
export function reportSuite(given: GivenNow): void {
  results(given);
  unusualResults(given);
  heartbeats(given);
  secondVersion(given);
  logs(given);
}

function results(given: GivenNow): void {
  test("COMPLETED ends the task, keeps its output, and schedules the next step", async () => {
    const type = await given().task();
    const id = await given().workflow([step(type, "a"), step(type, "b")]);
    const task = await given().poll(type);
    const answer = await given().report(task, "COMPLETED", { outputData: { v: [1, { w: null }] } });
    expect([answer.status, answer.text]).toEqual([200, task.at("taskId").raw]);
    expect(answer.contentType).toMatch(/^text\/plain/);
    const workflow = await given().read(id);
    expect(states(workflow)).toEqual(["a COMPLETED", "b SCHEDULED"]);
    expect(workflow.at("tasks", 0).raw).toMatchObject({ outputData: { v: [1, { w: null }] }, executed: true, seq: 1 });
    expect(workflow.at("tasks", 0, "endTime").number()).toBeGreaterThan(0);
    expect(workflow.at("tasks", 1, "seq").raw).toBe(2);
  });

  test("the last COMPLETED ends the workflow", async () => {
    const { id, task } = await given().running();
    await given().report(task, "COMPLETED");
    const workflow = await given().status(id, "COMPLETED");
    expect(workflow.at("endTime").number()).toBeGreaterThan(0);
    expect(workflow.at("reasonForIncompletion").raw).toBeUndefined();
  });

  test("case R06, fault B11: results of ended tasks are dropped with a 200", async () => {
    const { id, task } = await given().running();
    await given().report(task, "COMPLETED", { outputData: { first: 1 } });
    const late = await given().report(task, "FAILED", { reasonForIncompletion: "late" });
    expect(late.text).toBe(task.at("taskId").raw);
    expect((await given().readTask(task)).raw).toMatchObject({ status: "COMPLETED", outputData: { first: 1 } });
    expect((await given().read(id)).at("status").raw).toBe("COMPLETED");
  });

  test("case R06: results for ended workflows are dropped with a 200", async () => {
    const { id, task } = await given().running();
    await given().ok(given().api.delete(`/workflow/${id}?reason=stop`));
    await given().report(task, "COMPLETED", { outputData: { late: 1 } });
    expect((await given().readTask(task)).raw).toMatchObject({ status: "CANCELED", outputData: {} });
  });

  test("fault C6: nobody asks who reports", async () => {
    const { id, task } = await given().running();
    await given().ok(given().api.post("/tasks", { ...ids(task), workerId: "stranger", status: "COMPLETED" }));
    const workflow = await given().status(id, "COMPLETED");
    expect(workflow.at("tasks", 0, "workerId").raw).toBe("stranger");
  });

  test("a result for a task that nobody polled is taken too", async () => {
    const id = await given().workflow([step("t", "a")]);
    const task = (await given().read(id)).at("tasks", 0);
    await given().report(task, "COMPLETED");
    await given().status(id, "COMPLETED");
  });

  test("reasons are cut at 500 letters", async () => {
    const { task } = await given().running();
    await given().report(task, "FAILED", { reasonForIncompletion: "x".repeat(600) });
    expect((await given().readTask(task)).at("reasonForIncompletion").raw).toBe("x".repeat(500));
  });
}

function unusualResults(given: GivenNow): void {
  test("case R03, fault C14: a plain IN_PROGRESS puts the task back into the queue, for anybody", async () => {
    const { type, task } = await given().running();
    await given().report(task, "IN_PROGRESS", { callbackAfterSeconds: 1, outputData: { p: 1 } });
    expect((await given().readTask(task)).raw).toMatchObject({
      status: "SCHEDULED",
      callbackAfterSeconds: 1,
      outputData: { p: 1 },
      pollCount: 1,
    });
    expect(await given().pollNow(type)).toEqual([]);
    const again = await given().poll(type);
    expect(again.raw).toMatchObject({
      taskId: task.at("taskId").raw,
      pollCount: 2,
      callbackAfterSeconds: 0,
      outputData: { p: 1 },
    });
    expect(again.at("startTime").raw).toBe(task.at("startTime").raw);
    expect(again.at("scheduledTime").raw).toBe(task.at("scheduledTime").raw);
  });

  test("CANCELED ends the workflow as TERMINATED", async () => {
    const { id, task } = await given().running();
    await given().report(task, "CANCELED", { reasonForIncompletion: "c" });
    const workflow = await given().read(id);
    expect(workflow.at("status").raw).toBe("TERMINATED");
    expect(workflow.at("reasonForIncompletion").text()).toMatch(
      /^Task .* failed with status: TERMINATED and reason: 'c'$/,
    );
  });

  test("case R14: unknown ids, missing ids and unknown states are told apart", async () => {
    const { task } = await given().running();
    const known = ids(task);
    const send = (body: object): Promise<unknown> => given().api.post("/tasks", body);
    const refused = async (body: object, status: number, message: string | RegExp): Promise<void> => {
      await given().refused(given().api.post("/tasks", body), status, message);
    };
    await refused({ ...known, taskId: "none", status: "COMPLETED" }, 404, "No such task found by id: none");
    await refused(
      { ...known, workflowInstanceId: "none", status: "COMPLETED" },
      404,
      "No such workflow found by id: none",
    );
    await refused({ taskId: known["taskId"], status: "COMPLETED" }, 400, /^Validation failed/);
    await refused({ workflowInstanceId: "x", status: "COMPLETED" }, 400, /^Validation failed/);
    await refused({ ...known, status: "DONE" }, 500, /^JSON parse error/);
    await refused({ ...known, taskId: "none", extendLease: true }, 404, "No such task found by id: none");
    await send({ ...known, status: "COMPLETED" });
  });
}

function heartbeats(given: GivenNow): void {
  test("a heartbeat keeps poll count, worker and scheduled time, and moves the update time", async () => {
    const { task } = await given().running();
    const moved = await until("the update time moves", async () => {
      const answer = await given().ok(
        given().api.post("/tasks", { ...ids(task), workerId: "other", extendLease: true }),
      );
      expect(answer.text).toBe(task.at("taskId").raw);
      const read = await given().readTask(task);
      return read.at("updateTime").number() > task.at("updateTime").number() ? read : undefined;
    });
    for (const field of ["status", "pollCount", "workerId", "scheduledTime", "startTime", "retryCount"]) {
      expect(moved.at(field).raw, field).toEqual(task.at(field).raw);
    }
  });

  test("case R04, fault C8: a heartbeat for an ended task is a silent 200 and changes nothing", async () => {
    const { task } = await given().running();
    await given().report(task, "COMPLETED", { outputData: { v: 1 } });
    const before = await given().readTask(task);
    const answer = await given().ok(given().api.post("/tasks", { ...ids(task), extendLease: true }));
    expect(answer.text).toBe(task.at("taskId").raw);
    expect((await given().readTask(task)).raw).toEqual(before.raw);
  });

  test("a heartbeat keeps the task from polls", async () => {
    const { type, task } = await given().running();
    await given().ok(given().api.post("/tasks", { ...ids(task), extendLease: true }));
    expect(await given().pollNow(type)).toEqual([]);
  });
}

function secondVersion(given: GivenNow): void {
  test("case R17, fault E9: update-v2 takes the result and hands over the next task, claimed", async () => {
    const type = await given().task();
    for (let n = 0; n < 2; n += 1) await given().workflow([step(type, "a")]);
    const task = await given().poll(type);
    const body = { ...ids(task), workerId: "w2", status: "COMPLETED" };
    const next = await given().ok(given().api.post("/tasks/update-v2", body));
    expect(next.body.raw).toMatchObject({ status: "IN_PROGRESS", workerId: "w2", taskType: type, pollCount: 1 });
    expect(next.body.at("taskId").raw).not.toBe(task.at("taskId").raw);
    expect((await given().readTask(task)).at("status").raw).toBe("COMPLETED");
    const last = await given().api.post("/tasks/update-v2", { ...ids(next.body), workerId: "w2", status: "COMPLETED" });
    expect([last.status, last.text]).toEqual([204, ""]);
  });

  test("update-v2 hands over a task even where the result came too late, and is a 204 for a heartbeat", async () => {
    const type = await given().task();
    for (let n = 0; n < 2; n += 1) await given().workflow([step(type, "a")]);
    const task = await given().poll(type);
    await given().report(task, "COMPLETED");
    const body = { ...ids(task), workerId: "w2" };
    expect((await given().api.post("/tasks/update-v2", { ...body, extendLease: true })).status).toBe(204);
    const next = await given().api.post("/tasks/update-v2", { ...body, status: "FAILED" });
    expect(next.body.at("status").raw).toBe("IN_PROGRESS");
    const unknown = given().api.post("/tasks/update-v2", { ...body, taskId: "none", status: "COMPLETED" });
    await given().refused(unknown, 404, "No such task found by id: none");
  });

  test("a report by reference name ends the open task, and is an empty 200 where there is none", async () => {
    const id = await given().workflow([step("t", "a")]);
    const answer = await given().ok(given().api.post(`/tasks/${id}/a/COMPLETED?workerid=w7`, { o: 1 }));
    expect(answer.text).toMatch(/^[0-9a-f-]{36}$/);
    expect((await given().status(id, "COMPLETED")).raw).toMatchObject({ output: { o: 1 } });
    const none = await given().api.post(`/tasks/${id}/a/COMPLETED`, {});
    expect([none.status, none.text]).toEqual([200, ""]);
  });
}

function logs(given: GivenNow): void {
  test("task logs are added with a report or alone, and read back in their order", async () => {
    const { task } = await given().running();
    const id = task.at("taskId").text();
    await given().report(task, "COMPLETED", { logs: [{ log: "first", createdTime: 5 }] });
    const added = await given().api.send("POST", `/tasks/${id}/log`, "second line");
    expect([added.status, added.text]).toEqual([200, ""]);
    const lines = await until("both lines", async () => {
      const found = (await given().ok(given().api.get(`/tasks/${id}/log`))).body.list();
      return found.length === 2 ? found : undefined;
    });
    expect(lines[0]?.raw).toEqual({ log: "first", taskId: id, createdTime: 5 });
    expect(lines[1]?.raw).toMatchObject({ log: "second line", taskId: id });
  });

  test("a task without a log answers 204", async () => {
    const answer = await given().api.get(`/tasks/${unique("none")}/log`);
    expect([answer.status, answer.text]).toEqual([204, ""]);
  });
}
