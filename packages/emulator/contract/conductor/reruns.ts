import { expect, test } from "vitest";
import { type GivenNow, states, step, workflowDef } from "./given.ts";

/** Rerun and restart (case R16, fault C11). */
export function rerunSuite(given: GivenNow): void {
  reruns(given);
  restarts(given);
}

function reruns(given: GivenNow): void {
  test("rerun from a task: same id and retry count, later scheduled time, later tasks gone", async () => {
    const type = await given().task();
    const id = await given().workflow([step(type, "a"), step(type, "b")]);
    const first = await given().poll(type);
    await given().report(first, "COMPLETED", { outputData: { n: 1 } });
    await given().report(await given().poll(type), "COMPLETED");
    await given().status(id, "COMPLETED");
    const body = { reRunFromWorkflowId: id, reRunFromTaskId: first.at("taskId").raw, taskInput: { again: true } };
    expect((await given().ok(given().api.post(`/workflow/${id}/rerun`, body))).text).toBe(id);
    const workflow = await given().read(id);
    expect(states(workflow)).toEqual(["a SCHEDULED"]);
    const task = workflow.at("tasks", 0);
    expect(task.raw).toMatchObject({
      taskId: first.at("taskId").raw,
      retryCount: 0,
      seq: 1,
      pollCount: 0,
      inputData: { again: true },
      outputData: {},
      executed: false,
      startTime: 0,
      endTime: 0,
    });
    expect(task.at("scheduledTime").number()).toBeGreaterThan(first.at("scheduledTime").number());
    await given().report(await given().poll(type), "COMPLETED");
    expect(states(await given().read(id))).toEqual(["a COMPLETED", "b SCHEDULED"]);
  });

  test("rerun of a retry keeps its retry count", async () => {
    const { id, type, task } = await given().running({ retryCount: 1 });
    await given().report(task, "FAILED");
    const retry = await given().poll(type);
    await given().report(retry, "FAILED_WITH_TERMINAL_ERROR", { reasonForIncompletion: "t" });
    await given().ok(given().api.post(`/workflow/${id}/rerun`, { reRunFromTaskId: retry.at("taskId").raw }));
    const again = await given().poll(type);
    expect(again.raw).toMatchObject({ taskId: retry.at("taskId").raw, retryCount: 1, pollCount: 1, seq: 2 });
    expect((await given().read(id)).raw).toMatchObject({ status: "RUNNING", failedReferenceTaskNames: [] });
  });

  test("rerun without a task: new tasks, with new input where it is given", async () => {
    const { id, task } = await given().running();
    await given().report(task, "COMPLETED");
    await given().status(id, "COMPLETED");
    const body = { reRunFromWorkflowId: id, workflowInput: { n: 2 }, correlationId: "c9" };
    await given().ok(given().api.post(`/workflow/${id}/rerun`, body));
    const workflow = await given().read(id);
    expect(workflow.raw).toMatchObject({ status: "RUNNING", input: { n: 2 }, correlationId: "c9" });
    expect(states(workflow)).toEqual(["a SCHEDULED"]);
    expect(workflow.at("tasks", 0, "taskId").raw).not.toBe(task.at("taskId").raw);
    expect(workflow.at("tasks", 0).raw).toMatchObject({ retryCount: 0, seq: 1 });
  });
}

function restarts(given: GivenNow): void {
  test("rerun is a 409 while it runs, a 400 for an unknown task, a 404 for an unknown workflow", async () => {
    const { id, task } = await given().running();
    await given().refused(
      given().api.post(`/workflow/${id}/rerun`, {}),
      409,
      /is not in terminal state, unable to rerun\.$/,
    );
    await given().report(task, "COMPLETED");
    await given().status(id, "COMPLETED");
    const unknown = given().api.post(`/workflow/${id}/rerun`, { reRunFromTaskId: "none" });
    await given().refused(unknown, 400, "Task none not found");
    await given().refused(given().api.post("/workflow/none/rerun", {}), 404, "No such workflow found by id: none");
    await given().refused(given().api.post(`/workflow/${id}/rerun`), 500, /^Required request body is missing/);
  });

  test("restart: new task ids, retry counts and sequence from the start, a later scheduled time", async () => {
    const { id, type, task } = await given().running({ retryCount: 1 });
    await given().report(task, "FAILED");
    await given().report(await given().poll(type), "FAILED");
    await given().status(id, "FAILED");
    const answer = await given().api.post(`/workflow/${id}/restart`);
    expect([answer.status, answer.text]).toEqual([204, ""]);
    const workflow = await given().read(id);
    expect(states(workflow)).toEqual(["a SCHEDULED"]);
    expect(workflow.at("tasks", 0).raw).toMatchObject({ retryCount: 0, seq: 1, pollCount: 0 });
    expect(workflow.at("tasks", 0, "taskId").raw).not.toBe(task.at("taskId").raw);
    expect(workflow.at("tasks", 0, "scheduledTime").number()).toBeGreaterThan(task.at("scheduledTime").number());
    expect(workflow.raw).toMatchObject({ status: "RUNNING", endTime: 0, output: {} });
    expect(workflow.at("reasonForIncompletion").raw).toBeUndefined();
  });

  test("restart takes the latest definitions only where they are asked for", async () => {
    const name = await given().workflowDef([step("t", "old")]);
    const { text: id } = await given().ok(given().api.post(`/workflow/${name}`, {}));
    await given().ok(given().api.put("/metadata/workflow", [workflowDef(name, [step("t", "new")])]));
    await given().ok(given().api.delete(`/workflow/${id}`));
    await given().ok(given().api.post(`/workflow/${id}/restart`));
    expect(states(await given().read(id))).toEqual(["old SCHEDULED"]);
    await given().ok(given().api.delete(`/workflow/${id}`));
    await given().ok(given().api.post(`/workflow/${id}/restart?useLatestDefinitions=true`));
    expect(states(await given().read(id))).toEqual(["new SCHEDULED"]);
  });

  test("restart is a 409 while it runs, a 404 for an unknown id and for one that may not be restarted", async () => {
    const { id } = await given().running();
    const running = /is not in terminal state, unable to restart\.$/;
    await given().refused(given().api.post(`/workflow/${id}/restart`), 409, running);
    await given().refused(given().api.post("/workflow/none/restart"), 404, "No such workflow found by id: none");
    const type = await given().task();
    const once = await given().workflow([step(type, "a")], {}, { restartable: false });
    await given().report(await given().poll(type), "COMPLETED");
    await given().status(once, "COMPLETED");
    await given().refused(given().api.post(`/workflow/${once}/restart`), 404, /is non-restartable$/);
  });
}
