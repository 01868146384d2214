import { expect, test } from "vitest";
import { type Fields, type GivenNow, states, step } from "./given.ts";

function switched(type: string, more: Fields = {}): Fields[] {
  return [
    {
      name: "switch",
      taskReferenceName: "switch",
      type: "SWITCH",
      evaluatorType: "value-param",
      expression: "on",
      inputParameters: { on: "${workflow.input.on}" },
      decisionCases: { A: [step(type, "a1"), step(type, "a2")], "5": [step(type, "five")] },
      defaultCase: [step(type, "other")],
      ...more,
    },
    step(type, "z"),
  ];
}

/** SWITCH by a parameter's value. */
export function switchSuite(given: GivenNow): void {
  cases(given);
}

function cases(given: GivenNow): void {
  test("the case of the value is run to its end, then the step after the switch", async () => {
    const type = await given().task();
    const id = await given().workflow(switched(type), { on: "A" });
    const workflow = await given().read(id);
    expect(states(workflow)).toEqual(["switch COMPLETED", "a1 SCHEDULED"]);
    expect(workflow.at("tasks", 0).raw).toMatchObject({
      taskType: "SWITCH",
      inputData: { on: "A", case: "A", hasChildren: "true" },
      outputData: { evaluationResult: ["A"], selectedCase: "A" },
    });
    for (let n = 0; n < 3; n += 1) await given().report(await given().poll(type), "COMPLETED");
    expect(states(await given().status(id, "COMPLETED"))).toEqual([
      "switch COMPLETED",
      "a1 COMPLETED",
      "a2 COMPLETED",
      "z COMPLETED",
    ]);
  });

  test.each<[string, unknown, string, string]>([
    ["a number is a case by its digits", 5, "5", "five"],
    ["a value without a case is the default", "Q", "Q", "other"],
    ["nothing is the default", null, "null", "other"],
  ])("%s", async (_name, on, chosen, reference) => {
    const id = await given().workflow(switched(await given().task()), { on });
    const workflow = await given().read(id);
    expect(states(workflow)).toEqual(["switch COMPLETED", `${reference} SCHEDULED`]);
    expect(workflow.at("tasks", 0, "outputData", "selectedCase").raw).toBe(chosen);
  });

  test("without a default the step after the switch comes at once", async () => {
    const id = await given().workflow(switched(await given().task(), { defaultCase: [] }), { on: "Q" });
    const workflow = await given().read(id);
    expect(states(workflow)).toEqual(["switch COMPLETED", "z SCHEDULED"]);
    expect(workflow.at("tasks", 0, "inputData", "hasChildren").raw).toBeUndefined();
  });

  test("a switch in a fork's branch ends in the join", async () => {
    const type = await given().task();
    const [first] = switched(type);
    const id = await given().workflow(
      [
        { name: "fork", taskReferenceName: "fork", type: "FORK_JOIN", forkTasks: [[first], [step(type, "c")]] },
        { name: "join", taskReferenceName: "join", type: "JOIN", joinOn: ["switch", "c"] },
      ],
      { on: "5" },
    );
    for (const task of await given().pollNow(type, 2)) await given().report(task, "COMPLETED");
    const workflow = await given().status(id, "COMPLETED");
    expect(states(workflow).toSorted()).toEqual(
      ["c COMPLETED", "five COMPLETED", "fork COMPLETED", "join COMPLETED", "switch COMPLETED"].toSorted(),
    );
  });
}
