import { expect, test } from "vitest";
import { type GivenNow, states, step } from "./given.ts";

/** Retries of tasks, by the engine and by people (case R08). */
export function retrySuite(given: GivenNow): void {
  byTheEngine(given);
  delays(given);
  byPeople(given);
}

function byTheEngine(given: GivenNow): void {
  test("a failed task gets a new id, a new sequence number, and retry count + 1", async () => {
    const { id, type, task } = await given().running({ retryCount: 1 });
    await given().report(task, "FAILED", { reasonForIncompletion: "why", outputData: { old: 1 } });
    const workflow = await given().read(id);
    expect(states(workflow)).toEqual(["a FAILED", "a SCHEDULED"]);
    expect(workflow.at("tasks", 0).raw).toMatchObject({
      retried: true,
      executed: false,
      reasonForIncompletion: "why",
      outputData: { old: 1 },
    });
    const retry = workflow.at("tasks", 1);
    expect(retry.raw).toMatchObject({
      retryCount: 1,
      seq: 2,
      pollCount: 0,
      retriedTaskId: task.at("taskId").raw,
      startTime: 0,
      endTime: 0,
      updateTime: 0,
      retried: false,
      outputData: {},
      reasonForIncompletion: "why",
    });
    expect(retry.at("scheduledTime").number()).toBeGreaterThan(task.at("scheduledTime").number());
    expect(retry.at("workerId").raw).toBeUndefined();
    expect((await given().poll(type)).raw).toMatchObject({ retryCount: 1, retriedTaskId: task.at("taskId").raw });
  });

  test("a task out of retries ends the workflow as FAILED, naming task and reason", async () => {
    const { id, task } = await given().running({ retryCount: 0 });
    await given().report(task, "FAILED", { reasonForIncompletion: "why" });
    const workflow = await given().read(id);
    expect(workflow.raw).toMatchObject({
      status: "FAILED",
      reasonForIncompletion: `Task ${task.at("taskId").text()} failed with status: FAILED and reason: 'why'`,
      failedReferenceTaskNames: ["a"],
    });
    expect(workflow.at("failedTaskNames").list()).toHaveLength(1);
    expect(workflow.at("tasks", 0).raw).toMatchObject({ status: "FAILED", retried: false });
  });

  test("a terminal error is not retried", async () => {
    const { id, task } = await given().running({ retryCount: 5 });
    await given().report(task, "FAILED_WITH_TERMINAL_ERROR", { reasonForIncompletion: "no" });
    const workflow = await given().read(id);
    expect(workflow.at("status").raw).toBe("FAILED");
    expect(states(workflow)).toEqual(["a FAILED_WITH_TERMINAL_ERROR"]);
  });

  test("the retry count of the step goes before that of the definition", async () => {
    const type = await given().task({ retryCount: 5 });
    const id = await given().workflow([step(type, "a", { retryCount: 0 })]);
    await given().report(await given().poll(type), "FAILED");
    expect((await given().read(id)).at("status").raw).toBe("FAILED");
  });
}

function delays(given: GivenNow): void {
  test.each<[string, Record<string, unknown>, number]>([
    ["FIXED", { retryLogic: "FIXED", retryDelaySeconds: 7 }, 7],
    ["LINEAR_BACKOFF", { retryLogic: "LINEAR_BACKOFF", retryDelaySeconds: 2, backoffScaleFactor: 3 }, 6],
    ["EXPONENTIAL_BACKOFF", { retryLogic: "EXPONENTIAL_BACKOFF", retryDelaySeconds: 9 }, 9],
    [
      "a longest delay",
      { retryLogic: "LINEAR_BACKOFF", retryDelaySeconds: 20, backoffScaleFactor: 3, maxRetryDelaySeconds: 11 },
      11,
    ],
  ])("the delay of a first retry: %s", async (_name, more, delaySeconds) => {
    const { id, type, task } = await given().running(more);
    await given().report(task, "FAILED");
    expect((await given().read(id)).at("tasks", 1).raw).toMatchObject({
      startDelayInSeconds: delaySeconds,
      callbackAfterSeconds: delaySeconds,
    });
    expect(await given().pollNow(type)).toEqual([]);
  });

  test.each<[string, Record<string, unknown>, number]>([
    ["LINEAR_BACKOFF", { retryLogic: "LINEAR_BACKOFF", retryDelaySeconds: 1, backoffScaleFactor: 1 }, 2],
    ["EXPONENTIAL_BACKOFF", { retryLogic: "EXPONENTIAL_BACKOFF", retryDelaySeconds: 1 }, 2],
  ])("the delay of a second retry grows: %s", async (_name, more, delaySeconds) => {
    const { id, type, task } = await given().running({ retryCount: 3, ...more });
    await given().report(task, "FAILED");
    await given().report(await given().poll(type), "FAILED");
    expect((await given().read(id)).at("tasks", 2, "startDelayInSeconds").raw).toBe(delaySeconds);
  });
}

function byPeople(given: GivenNow): void {
  test("retry of a workflow: a new attempt of what failed; the retry count goes on", async () => {
    const { id, task } = await given().running({ retryCount: 0 });
    await given().report(task, "FAILED", { reasonForIncompletion: "why" });
    const answer = await given().api.post(`/workflow/${id}/retry`);
    expect([answer.status, answer.text]).toEqual([204, ""]);
    const workflow = await given().read(id);
    expect(workflow.at("status").raw).toBe("RUNNING");
    expect(workflow.at("reasonForIncompletion").raw).toBeUndefined();
    expect(workflow.at("lastRetriedTime").number()).toBeGreaterThan(0);
    expect(states(workflow)).toEqual(["a FAILED", "a SCHEDULED"]);
    expect(workflow.at("tasks", 1).raw).toMatchObject({ retryCount: 1, seq: 2, retriedTaskId: task.at("taskId").raw });
    expect(workflow.at("tasks", 1, "reasonForIncompletion").raw).toBeUndefined();
    expect(workflow.at("tasks", 0).raw).toMatchObject({ retried: true, executed: true });
  });

  test("a retried workflow goes on to its end", async () => {
    const type = await given().task({ retryCount: 0 });
    const id = await given().workflow([step(type, "a"), step(type, "b")]);
    await given().report(await given().poll(type), "COMPLETED", { outputData: { n: 1 } });
    await given().report(await given().poll(type), "FAILED");
    await given().ok(given().api.post(`/workflow/${id}/retry`));
    const retry = await given().poll(type);
    expect(retry.raw).toMatchObject({ referenceTaskName: "b", retryCount: 1 });
    await given().report(retry, "COMPLETED", { outputData: { n: 2 } });
    const workflow = await given().status(id, "COMPLETED");
    expect(workflow.at("output").raw).toEqual({ n: 2 });
  });

  test("retry of a terminated workflow takes the cancelled task up again", async () => {
    const { id } = await given().running();
    await given().ok(given().api.delete(`/workflow/${id}`));
    await given().ok(given().api.post(`/workflow/${id}/retry`));
    expect(states(await given().read(id))).toEqual(["a CANCELED", "a SCHEDULED"]);
  });

  test("retry is a 404 while it runs, a 409 where nothing failed, a 404 for an unknown id", async () => {
    const { id, task } = await given().running();
    await given().refused(given().api.post(`/workflow/${id}/retry`), 404, "Workflow is still running.  status=RUNNING");
    await given().report(task, "COMPLETED");
    await given().refused(given().api.post(`/workflow/${id}/retry`), 409, /^There are no retryable tasks!/);
    await given().refused(given().api.post("/workflow/none/retry"), 404, "No such workflow found by id: none");
  });
}
