import { expect, test } from "vitest";
import { type Fields, type GivenNow, ids, states, step, until } from "./given.ts";

const seconds = { responseTimeoutSeconds: 1 };

const whole: Fields = { responseTimeoutSeconds: 1, timeoutSeconds: 1 };
const tooLong = /^Task timed out after \d+ seconds\. Timeout configured as 1 seconds\. Timeout policy configured to /;

const unpolled =
  /^Task poll timed out after \d+ seconds\. Poll timeout configured as 1 seconds\. Timeout policy configured to /;

/** Timeouts and their policies (cases R01, R08, C12). The real server notices them late; `decide` makes it look. */
export function timeoutSuite(given: GivenNow): void {
  responses(given);
  runsAndPolls(given);
  totals(given);
}

function responses(given: GivenNow): void {
  test.each(["RETRY", "TIME_OUT_WF", "ALERT_ONLY"])(
    "a response timeout is a retry, whatever the policy: %s",
    async (timeoutPolicy) => {
      const { id, task } = await given().running({ ...seconds, timeoutPolicy });
      const workflow = await given().decided(id, "a retry", (one) => one.at("tasks").list().length === 2);
      expect(states(workflow)).toEqual(["a TIMED_OUT", "a SCHEDULED"]);
      expect(workflow.at("tasks", 0, "reasonForIncompletion").text()).toBe(
        `responseTimeout: 1 exceeded for the taskId: ${task.at("taskId").text()} ` +
          `with Task Definition: ${task.at("taskDefName").text()}`,
      );
      expect(workflow.at("tasks", 1).raw).toMatchObject({ retryCount: 1, retriedTaskId: task.at("taskId").raw });
      const lateMs = workflow.at("tasks", 0, "endTime").number() - task.at("updateTime").number();
      expect(lateMs).toBeGreaterThanOrEqual(1_000);
    },
  );

  test("a response timeout without a retry ends the workflow as TIMED_OUT", async () => {
    const { id, task } = await given().running({ ...seconds, retryCount: 0 });
    const workflow = await given().status(id, "TIMED_OUT");
    expect(workflow.at("reasonForIncompletion").text()).toBe(
      `Task ${task.at("taskId").text()} failed with status: TIMED_OUT and reason: ` +
        `'${workflow.at("tasks", 0, "reasonForIncompletion").text()}'`,
    );
    expect(workflow.at("failedReferenceTaskNames").raw).toEqual([]);
  });

  test("heartbeats move the response timeout; a result after it is dropped", async () => {
    const { id, task } = await given().running({ responseTimeoutSeconds: 2, retryCount: 1 });
    const deadlineMs = performance.now() + 3_000;
    await until("3 s of heartbeats", async () => {
      await given().ok(given().api.post("/tasks", { ...ids(task), extendLease: true }));
      await given().ok(given().api.put(`/workflow/decide/${id}`));
      return performance.now() > deadlineMs ? true : undefined;
    });
    expect(states(await given().read(id))).toEqual(["a IN_PROGRESS"]);
    await given().decided(id, "the timeout", (one) => one.at("tasks", 0, "status").raw === "TIMED_OUT");
    await given().report(task, "COMPLETED", { outputData: { late: 1 } });
    expect((await given().readTask(task)).raw).toMatchObject({ status: "TIMED_OUT", outputData: {} });
  });

  test("a task that runs too long, RETRY: a retry", async () => {
    const { id } = await given().running({ ...whole, timeoutPolicy: "RETRY" });
    const workflow = await given().decided(id, "a retry", (one) => one.at("tasks").list().length === 2);
    expect(workflow.at("tasks", 0).raw).toMatchObject({ status: "TIMED_OUT", retried: true });
    expect(workflow.at("tasks", 0, "reasonForIncompletion").text()).toMatch(tooLong);
  });

  test("a task that runs too long, TIME_OUT_WF: the workflow ends with the task's reason", async () => {
    const { id } = await given().running({ ...whole, timeoutPolicy: "TIME_OUT_WF" });
    const workflow = await given().status(id, "TIMED_OUT");
    expect(workflow.at("reasonForIncompletion").text()).toMatch(tooLong);
    expect(states(workflow)).toEqual(["a TIMED_OUT"]);
  });

  test("a task that runs too long, ALERT_ONLY: the response timeout comes instead", async () => {
    const { id } = await given().running({ ...whole, timeoutPolicy: "ALERT_ONLY" });
    const workflow = await given().decided(id, "a retry", (one) => one.at("tasks").list().length === 2);
    expect(workflow.at("tasks", 0, "reasonForIncompletion").text()).toMatch(/^responseTimeout: 1 exceeded/);
  });
}

function runsAndPolls(given: GivenNow): void {
  test("case C12: a task that nobody polls, RETRY: a retry", async () => {
    const type = await given().task({ pollTimeoutSeconds: 1, timeoutPolicy: "RETRY" });
    const id = await given().workflow([step(type, "a")]);
    const workflow = await given().decided(id, "a retry", (one) => one.at("tasks").list().length === 2);
    expect(workflow.at("tasks", 0).raw).toMatchObject({ status: "TIMED_OUT", pollCount: 0 });
    expect(workflow.at("tasks", 0, "reasonForIncompletion").text()).toMatch(unpolled);
  });

  test("case C12: a task that nobody polls, TIME_OUT_WF: the workflow ends", async () => {
    const type = await given().task({ pollTimeoutSeconds: 1, timeoutPolicy: "TIME_OUT_WF" });
    const id = await given().workflow([step(type, "a")]);
    expect((await given().status(id, "TIMED_OUT")).at("reasonForIncompletion").text()).toMatch(unpolled);
  });

  test("a poll timeout does not count once the task was polled", async () => {
    const { id } = await given().running({ pollTimeoutSeconds: 1, responseTimeoutSeconds: 60 });
    const deadlineMs = performance.now() + 1_500;
    await until("more than the poll timeout", async () => (performance.now() > deadlineMs ? true : undefined));
    await given().ok(given().api.put(`/workflow/decide/${id}`));
    expect(states(await given().read(id))).toEqual(["a IN_PROGRESS"]);
  });
}

function totals(given: GivenNow): void {
  test("a total timeout ends the workflow without another retry", async () => {
    const { id } = await given().running({
      responseTimeoutSeconds: 1,
      timeoutSeconds: 1,
      totalTimeoutSeconds: 1,
      retryCount: 5,
    });
    const workflow = await given().status(id, "TIMED_OUT");
    expect(states(workflow)).toEqual(["a TIMED_OUT"]);
    expect(workflow.at("reasonForIncompletion").text()).toMatch(
      /exceeded total timeout of 1 seconds .* No further retries will be attempted\.$/,
    );
    expect(workflow.at("tasks", 0, "reasonForIncompletion").text()).toMatch(
      / exceeded total timeout of 1 seconds .* Timeout policy: RETRY$/,
    );
  });

  test("a total timeout, TIME_OUT_WF: the workflow ends with the task's reason", async () => {
    const { id } = await given().running({ totalTimeoutSeconds: 1, timeoutPolicy: "TIME_OUT_WF" });
    const workflow = await given().status(id, "TIMED_OUT");
    expect(workflow.at("reasonForIncompletion").raw).toBe(workflow.at("tasks", 0, "reasonForIncompletion").raw);
    expect(workflow.at("reasonForIncompletion").text()).toMatch(/Timeout policy: TIME_OUT_WF$/);
  });

  test("a total timeout, ALERT_ONLY: the task goes on, and is not retried when it fails", async () => {
    const { id, task } = await given().running({ totalTimeoutSeconds: 1, timeoutPolicy: "ALERT_ONLY", retryCount: 5 });
    const deadlineMs = performance.now() + 1_500;
    await until("more than the total timeout", async () => (performance.now() > deadlineMs ? true : undefined));
    await given().ok(given().api.put(`/workflow/decide/${id}`));
    expect(states(await given().read(id))).toEqual(["a IN_PROGRESS"]);
    await given().report(task, "FAILED", { reasonForIncompletion: "x" });
    const workflow = await given().status(id, "FAILED");
    expect(workflow.at("reasonForIncompletion").text()).toMatch(/ No further retries will be attempted\.$/);
    expect(states(workflow)).toEqual(["a FAILED"]);
  });

  test("a workflow that takes too long, TIME_OUT_WF: it ends and its tasks are cancelled", async () => {
    const id = await given().workflow([step("t", "a")], {}, { timeoutSeconds: 1, timeoutPolicy: "TIME_OUT_WF" });
    const workflow = await given().status(id, "TIMED_OUT");
    expect(workflow.at("reasonForIncompletion").text()).toMatch(
      /^Workflow timed out after \d+ seconds\. Timeout configured as 1 seconds\. Timeout policy .* to TIME_OUT_WF$/,
    );
    expect(states(workflow)).toEqual(["a CANCELED"]);
    await given().ok(given().api.post(`/workflow/${id}/retry`));
    expect(states(await given().read(id))).toEqual(["a CANCELED", "a SCHEDULED"]);
  });

  test("a workflow that takes too long, ALERT_ONLY: it goes on", async () => {
    const id = await given().workflow([step("t", "a")], {}, { timeoutSeconds: 1, timeoutPolicy: "ALERT_ONLY" });
    const deadlineMs = performance.now() + 1_500;
    await until("more than the timeout", async () => (performance.now() > deadlineMs ? true : undefined));
    await given().ok(given().api.put(`/workflow/decide/${id}`));
    expect((await given().read(id)).at("status").raw).toBe("RUNNING");
  });
}
