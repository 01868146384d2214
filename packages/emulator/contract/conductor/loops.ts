import { expect, test } from "vitest";
import { type Fields, type GivenNow, states, step } from "./given.ts";

function looped(type: string, more: Fields = {}): Fields[] {
  return [
    {
      name: "loop",
      taskReferenceName: "loop",
      type: "DO_WHILE",
      inputParameters: { n: "${workflow.input.n}" },
      loopCondition: "if ($.loop['iteration'] < $.n) { true; } else { false; }",
      loopOver: [
        step(type, "x", { inputParameters: { turn: "${loop.output.iteration}", last: "${y.output.v}" } }),
        step(type, "y", { inputParameters: { x: "${x.output.v}" } }),
      ],
      ...more,
    },
    step(type, "z", { inputParameters: { loop: "${loop.output}", y: "${y.output.v}" } }),
  ];
}

/** DO_WHILE. */
export function loopSuite(given: GivenNow): void {
  turns(given);
  failures(given);
}

function turns(given: GivenNow): void {
  test("the steps of a loop are named by their turn, and see the turn and what went before", async () => {
    const type = await given().task();
    const id = await given().workflow(looped(type), { n: 2 });
    const inputs: unknown[] = [];
    for (let n = 0; n < 4; n += 1) {
      const task = await given().poll(type);
      inputs.push([task.at("referenceTaskName").raw, task.at("iteration").raw, task.at("inputData").raw]);
      await given().report(task, "COMPLETED", { outputData: { v: `v${n}` } });
    }
    expect(inputs).toEqual([
      ["x__1", 1, { turn: 1, last: null }],
      ["y__1", 1, { x: "v0" }],
      ["x__2", 2, { turn: 2, last: "v1" }],
      ["y__2", 2, { x: "v2" }],
    ]);
    const after = await given().poll(type);
    const turns = { "1": { x: { v: "v0" }, y: { v: "v1" } }, "2": { x: { v: "v2" }, y: { v: "v3" } }, iteration: 2 };
    expect(after.raw).toMatchObject({
      referenceTaskName: "z",
      inputData: { loop: turns, y: "v3" },
      loopOverTask: false,
    });
    const workflow = await given().read(id);
    expect(workflow.at("tasks", 0).raw).toMatchObject({
      taskType: "DO_WHILE",
      status: "COMPLETED",
      iteration: 2,
      outputData: turns,
    });
  });

  test("a loop shows its turn while it runs", async () => {
    const id = await given().workflow(looped(await given().task()), { n: 1 });
    const workflow = await given().read(id);
    expect(states(workflow)).toEqual(["loop IN_PROGRESS", "x__1 SCHEDULED"]);
    expect(workflow.at("tasks", 0).raw).toMatchObject({
      iteration: 1,
      outputData: { iteration: 1 },
      inputData: { n: 1 },
    });
    expect(workflow.at("tasks", 1, "loopOverTask").raw).toBe(true);
  });

  test("a condition may look at what the steps put out", async () => {
    const type = await given().task();
    const more = { loopCondition: "$.x.v < 3", loopOver: [step(type, "x")] };
    const id = await given().workflow([{ ...looped(type, more)[0] }]);
    await given().report(await given().poll(type), "COMPLETED", { outputData: { v: 1 } });
    await given().report(await given().poll(type), "COMPLETED", { outputData: { v: 5 } });
    const workflow = await given().status(id, "COMPLETED");
    expect(states(workflow)).toEqual(["loop COMPLETED", "x__1 COMPLETED", "x__2 COMPLETED"]);
  });
}

function failures(given: GivenNow): void {
  test("a step of a loop is retried under its turn's name", async () => {
    const type = await given().task({ retryCount: 1 });
    const id = await given().workflow(looped(type), { n: 1 });
    await given().report(await given().poll(type), "FAILED", { reasonForIncompletion: "f" });
    const retry = await given().poll(type);
    expect(retry.raw).toMatchObject({ referenceTaskName: "x__1", retryCount: 1, iteration: 1 });
    await given().report(retry, "COMPLETED");
    expect((await given().poll(type)).at("referenceTaskName").raw).toBe("y__1");
    expect(states(await given().read(id))).toEqual([
      "loop IN_PROGRESS",
      "x__1 FAILED",
      "x__1 COMPLETED",
      "y__1 IN_PROGRESS",
    ]);
  });

  test("a step that fails for good ends the workflow; a retry goes on with the loop", async () => {
    const type = await given().task();
    const id = await given().workflow(looped(type), { n: 1 });
    await given().report(await given().poll(type), "FAILED_WITH_TERMINAL_ERROR", { reasonForIncompletion: "ft" });
    expect(states(await given().status(id, "FAILED"))).toEqual(["loop CANCELED", "x__1 FAILED_WITH_TERMINAL_ERROR"]);
    await given().ok(given().api.post(`/workflow/${id}/retry`));
    for (const name of ["x__1", "y__1", "z"]) {
      const task = await given().poll(type);
      expect(task.at("referenceTaskName").raw).toBe(name);
      await given().report(task, "COMPLETED");
    }
    await given().status(id, "COMPLETED");
  });
}
