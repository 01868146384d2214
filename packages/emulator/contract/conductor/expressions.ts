import { expect, test } from "vitest";
import { type Fields, type GivenNow, step } from "./given.ts";

const input = { x: "X", n: 5, none: null, key: "x", o: { p: [7, 8], q: { r: true } }, list: [1, 2, 3] };

async function resolved(given: GivenNow, inputParameters: Fields): Promise<unknown> {
  const id = await given().workflow([step("t", "a", { inputParameters })], input);
  return (await given().read(id)).at("tasks", 0, "inputData").raw;
}

/** `${...}` in the input of steps and in the output of workflows. */
export function expressionSuite(given: GivenNow): void {
  inputs(given);
  laterSteps(given);
}

function inputs(given: GivenNow): void {
  test.each<[string, unknown, unknown]>([
    ["a text", "${workflow.input.x}", "X"],
    ["a number stays a number", "${workflow.input.n}", 5],
    ["an object stays an object", "${workflow.input.o}", { p: [7, 8], q: { r: true } }],
    ["a nested path", "${workflow.input.o.q.r}", true],
    ["an index", "${workflow.input.o.p[1]}", 8],
    ["an index from the end", "${workflow.input.list[-1]}", 3],
    ["a slice", "${workflow.input.list[0:2]}", [1, 2]],
    ["all elements", "${workflow.input.list[*]}", [1, 2, 3]],
    ["a length", "${workflow.input.list.length()}", 3],
    ["a quoted name", "${workflow.input['x']}", "X"],
    ["case C08: what is not there is null", "${workflow.input.nope.deeper}", null],
    ["a null", "${workflow.input.none}", null],
    ["a part of a text", "v-${workflow.input.x}-${workflow.input.n}", "v-X-5"],
    ["nothing in a text", "v-${workflow.input.nope}", "v-null"],
    ["an object in a text", "o=${workflow.input.o}", "o={p=[7, 8], q={r=true}}"],
    ["an escaped one", "$${workflow.input.x}", "${workflow.input.x}"],
    ["one in another", "${workflow.input.${workflow.input.key}}", "X"],
    ["inside lists and objects", { l: ["${workflow.input.x}", { d: "${workflow.input.n}" }] }, { l: ["X", { d: 5 }] }],
    ["one without an end stays as it is", "${workflow.input.x", "${workflow.input.x"],
    ["plain values", { a: [1, true, null, "s"] }, { a: [1, true, null, "s"] }],
  ])("%s", async (_name, expression, value) => {
    expect(await resolved(given, { v: expression })).toEqual({ v: value });
  });

  test("the workflow's own fields and the task's id", async () => {
    const name = await given().workflowDef([
      step("t", "a", {
        inputParameters: {
          id: "${workflow.workflowId}",
          type: "${workflow.workflowType}",
          version: "${workflow.version}",
          correlation: "${workflow.correlationId}",
          status: "${workflow.status}",
          task: "${CPEWF_TASK_ID}",
        },
      }),
    ]);
    const { text } = await given().ok(given().api.post(`/workflow/${name}?correlationId=c7`, {}));
    const task = (await given().read(text)).at("tasks", 0);
    expect(task.at("inputData").raw).toEqual({
      id: text,
      type: name,
      version: 1,
      correlation: "c7",
      status: "RUNNING",
      task: task.at("taskId").raw,
    });
  });
}

function laterSteps(given: GivenNow): void {
  test("a later step sees output, input and state of an earlier one", async () => {
    const type = await given().task();
    await given().workflow(
      [
        step(type, "a", { inputParameters: { i: "${workflow.input.i}" } }),
        step(type, "b", {
          inputParameters: {
            out: "${a.output.v.w}",
            all: "${a.output}",
            in: "${a.input.i}",
            status: "${a.status}",
            retries: "${a.retryCount}",
            worker: "${a.workerId}",
            missing: "${a.output.none}",
          },
        }),
      ],
      { i: 4 },
    );
    await given().report(await given().poll(type), "COMPLETED", { outputData: { v: { w: [1] } } });
    expect((await given().poll(type)).at("inputData").raw).toEqual({
      out: [1],
      all: { v: { w: [1] } },
      in: 4,
      status: "COMPLETED",
      retries: 0,
      worker: "w1",
      missing: null,
    });
  });

  test("the output of a workflow is what its parameters say, else what the last task put out", async () => {
    const type = await given().task();
    const named = await given().workflow(
      [step(type, "a")],
      {},
      {
        outputParameters: { o: "${a.output.q}", s: "${a.status}", none: "${a.output.none}" },
      },
    );
    await given().report(await given().poll(type), "COMPLETED", { outputData: { q: 3 } });
    expect((await given().status(named, "COMPLETED")).at("output").raw).toEqual({ o: 3, s: "COMPLETED", none: null });
    const plain = await given().workflow([step(type, "a")]);
    await given().report(await given().poll(type), "COMPLETED", { outputData: { q: 4 } });
    expect((await given().status(plain, "COMPLETED")).at("output").raw).toEqual({ q: 4 });
  });

  test("case C09: an input template fills what is missing or null, and nothing else", async () => {
    const type = await given().task({ inputTemplate: { a: "A", b: "B", c: "C" } });
    const inputParameters = { a: "own", b: "${workflow.input.nope}" };
    await given().workflow([step(type, "s", { inputParameters })]);
    expect((await given().poll(type)).at("inputData").raw).toEqual({ a: "own", b: "B", c: "C" });
  });

  test("the input template of a workflow lies below its input", async () => {
    const inputParameters = { x: "${workflow.input.x}", y: "${workflow.input.y}" };
    const more = { inputTemplate: { x: "template", y: "template" } };
    const id = await given().workflow([step("t", "a", { inputParameters })], { x: "given" }, more);
    expect((await given().read(id)).at("tasks", 0, "inputData").raw).toEqual({ x: "given", y: "template" });
  });
}
