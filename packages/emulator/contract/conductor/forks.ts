import { expect, test } from "vitest";
import { type Fields, type GivenNow, states, step } from "./given.ts";
import type { Value } from "./api.ts";

function forked(type: string, second: Fields = {}): Fields[] {
  return [
    {
      name: "fork",
      taskReferenceName: "fork",
      type: "FORK_JOIN",
      forkTasks: [[step(type, "a"), step(type, "b")], [step(type, "c", second)]],
    },
    { name: "join", taskReferenceName: "join", type: "JOIN", joinOn: ["b", "c"] },
    step(type, "z", { inputParameters: { b: "${join.output.b.v}", all: "${join.output}" } }),
  ];
}

async function pollAll(given: GivenNow, type: string, count: number): Promise<Map<unknown, Value>> {
  const tasks = await given().pollNow(type, count);
  return new Map(tasks.map((task) => [task.at("referenceTaskName").raw, task]));
}

function only(tasks: Map<unknown, Value>, name: string): Value {
  const task = tasks.get(name);
  if (task === undefined) throw new Error(`${name} was not handed out`);
  return task;
}

/** FORK_JOIN and JOIN. */
export function forkSuite(given: GivenNow): void {
  joining(given);
  failing(given);
}

function joining(given: GivenNow): void {
  test("a fork schedules the first step of each branch at once, and its join", async () => {
    const type = await given().task();
    const id = await given().workflow(forked(type));
    const workflow = await given().read(id);
    expect(states(workflow)).toEqual(["fork COMPLETED", "a SCHEDULED", "c SCHEDULED", "join IN_PROGRESS"]);
    expect(workflow.at("tasks", 0).raw).toMatchObject({ taskType: "FORK", taskDefName: "FORK", seq: 1 });
    expect(workflow.at("tasks", 3).raw).toMatchObject({ taskType: "JOIN", inputData: { joinOn: ["b", "c"] }, seq: 4 });
  });

  test("the join ends with the outputs of what it joins on when all branches have ended", async () => {
    const type = await given().task();
    const id = await given().workflow(forked(type));
    const tasks = await pollAll(given, type, 2);
    await given().report(only(tasks, "c"), "COMPLETED", { outputData: { v: "C" } });
    await given().report(only(tasks, "a"), "COMPLETED", { outputData: { v: "A" } });
    await given().report(await given().poll(type), "COMPLETED", { outputData: { v: "B" } });
    const after = await given().poll(type);
    expect(after.raw).toMatchObject({
      referenceTaskName: "z",
      inputData: { b: "B", all: { b: { v: "B" }, c: { v: "C" } } },
    });
    await given().report(after, "COMPLETED");
    const workflow = await given().status(id, "COMPLETED");
    expect(states(workflow)).toEqual([
      "fork COMPLETED",
      "a COMPLETED",
      "c COMPLETED",
      "join COMPLETED",
      "b COMPLETED",
      "z COMPLETED",
    ]);
    expect(workflow.at("tasks", 3, "outputData").raw).toEqual({ b: { v: "B" }, c: { v: "C" } });
  });

  test("a branch that fails for good ends the workflow and cancels the others; a retry takes both up again", async () => {
    const type = await given().task();
    // All that the join waits for is there: a retry on the real server is a 500 where it is not and the join has
    // failed.
    const branches = [[step(type, "a")], [step(type, "c")]];
    const id = await given().workflow([
      { name: "fork", taskReferenceName: "fork", type: "FORK_JOIN", forkTasks: branches },
      { name: "join", taskReferenceName: "join", type: "JOIN", joinOn: ["a", "c"] },
    ]);
    const tasks = await pollAll(given, type, 2);
    await given().report(only(tasks, "a"), "FAILED_WITH_TERMINAL_ERROR", { reasonForIncompletion: "bad" });
    const failed = await given().status(id, "FAILED");
    // What the real server's background look makes of the join is not certain.
    expect(states(failed).slice(0, 3)).toEqual(["fork COMPLETED", "a FAILED_WITH_TERMINAL_ERROR", "c CANCELED"]);
    await given().ok(given().api.post(`/workflow/${id}/retry`));
    // The real server's background look at the join may meet an old attempt again and end everything once more: that
    // there
    // are new attempts is certain, what becomes of them is not.
    const attempts = (await given().read(id))
      .at("tasks")
      .list()
      .filter((one) => one.at("retryCount").raw === 1);
    const names = attempts.map((one) => one.at("referenceTaskName").raw).filter((name) => name !== "join");
    expect(names).toEqual(["a", "c"]);
  });
}

function failing(given: GivenNow): void {
  test("a step of a branch is retried like any other", async () => {
    const type = await given().task({ retryCount: 1 });
    const id = await given().workflow(forked(type));
    const task = only(await pollAll(given, type, 2), "c");
    await given().report(task, "FAILED");
    // The real server's background look at the join may see the failed attempt and end everything: only the retry is
    // certain.
    const attempts = (await given().read(id))
      .at("tasks")
      .list()
      .filter((one) => one.at("referenceTaskName").raw === "c");
    expect(attempts.map((one) => one.at("retryCount").raw)).toEqual([0, 1]);
    expect(attempts[0]?.at("status").raw).toBe("FAILED");
    expect(attempts[1]?.at("retriedTaskId").raw).toBe(task.at("taskId").raw);
  });

  test("an optional branch that fails for good ends the join with errors, and the workflow goes on", async () => {
    const type = await given().task();
    const id = await given().workflow(forked(type, { optional: true }));
    const tasks = await pollAll(given, type, 2);
    await given().report(only(tasks, "c"), "FAILED_WITH_TERMINAL_ERROR", { reasonForIncompletion: "bad" });
    await given().report(only(tasks, "a"), "COMPLETED");
    await given().report(await given().poll(type), "COMPLETED", { outputData: { v: "B" } });
    const after = await given().poll(type);
    expect(after.at("referenceTaskName").raw).toBe("z");
    const workflow = await given().read(id);
    expect(states(workflow).slice(2, 4)).toEqual(["c COMPLETED_WITH_ERRORS", "join COMPLETED_WITH_ERRORS"]);
  });

  test("a fork that no join follows ends the workflow, saying so", async () => {
    const id = await given().workflow([
      { name: "fork", taskReferenceName: "fork", type: "FORK_JOIN", forkTasks: [[step("t", "a")]] },
      step("t", "z"),
    ]);
    const workflow = await given().read(id);
    expect(workflow.at("status").raw).toBe("FAILED");
    expect(workflow.at("reasonForIncompletion").text()).toMatch(/is not followed by a join task/);
  });
}
