import { describe, expect, test } from "vitest";
import { type Fields, step, unique, workflowDef } from "../contract/conductor/given.ts";
import { localConductor } from "./conductor-tools/local.ts";

const { given } = localConductor();
const MEND = /: use a real Conductor server for it$/;

function uses(path: string): Fields {
  return step("t", "a", { inputParameters: { p: path } });
}

describe("what is not here is refused by name, with the real server as the mend", () => {
  test.each([
    ["HTTP", "task type HTTP", step("t", "a", { type: "HTTP" })],
    ["SUB_WORKFLOW", "task type SUB_WORKFLOW", step("t", "a", { type: "SUB_WORKFLOW" })],
    ["INLINE", "task type INLINE", step("t", "a", { type: "INLINE" })],
    ["a type of one's own", "task type FOO", step("t", "a", { type: "FOO" })],
    [
      "a switch by JavaScript",
      "evaluatorType javascript",
      step("t", "a", {
        type: "SWITCH",
        evaluatorType: "javascript",
        expression: "$.x",
        decisionCases: { A: [step("t", "b")] },
      }),
    ],
    [
      "a loop condition that calls something",
      "JavaScript beyond comparisons",
      step("t", "a", { type: "DO_WHILE", loopCondition: "f($.x)", loopOver: [step("t", "b")] }),
    ],
    [
      "a loop in a loop",
      "loop in a loop",
      step("t", "a", {
        type: "DO_WHILE",
        loopCondition: "false",
        loopOver: [step("t", "b", { type: "DO_WHILE", loopCondition: "false", loopOver: [step("t", "c")] })],
      }),
    ],
    ["a permissive step", "field permissive", step("t", "a", { permissive: true })],
    ["an asynchronous step", "field asyncComplete", step("t", "a", { asyncComplete: true })],
    ["a deep scan", "JSONPath ${workflow.input..x}", uses("${workflow.input..x}")],
    ["a filter", "JSONPath", uses("${workflow.input.list[?(@.x==1)]}")],
    ["a secret", "expression ${workflow.secrets.key}", uses("${workflow.secrets.key}")],
  ])("in a definition: %s", async (_name, words, task) => {
    const name = unique("workflow");
    for (const send of [
      given().api.post("/metadata/workflow", workflowDef(name, [task])),
      given().api.put("/metadata/workflow", [workflowDef(name, [task])]),
    ]) {
      const answer = await given().refused(send, 501, MEND);
      expect(answer.body.at("message").text()).toContain(words);
    }
    expect((await given().api.get(`/metadata/workflow/${name}`)).status).toBe(404);
  });

  test("a failure workflow", async () => {
    const body = workflowDef(unique("workflow"), [step("t", "a")], { failureWorkflow: "f" });
    await given().refused(given().api.post("/metadata/workflow", body), 501, /no failureWorkflow/);
  });

  test.each([
    ["GET", "/workflow/search?query=x"],
    ["POST", "/workflow/bulk/terminate"],
    ["PUT", "/workflow/x/skiptask/a"],
    ["GET", "/workflow/x/tasks"],
    ["POST", "/workflow/execute/x/1"],
    ["GET", "/metadata/workflow/names-and-versions"],
    ["GET", "/tasks/search?query=x"],
    ["POST", "/tasks/queue/requeue/x"],
    ["POST", "/tasks/x/a/COMPLETED/sync"],
    ["GET", "/event"],
    ["GET", "/scheduler/schedules"],
  ])("the operation %s %s", async (method, path) => {
    const answer = await given().refused(given().api.send(method, path), 501, MEND);
    expect(answer.body.at("message").text()).toContain(`operation ${method} /api${path.split("?")[0]}`);
  });

  test("fields of a start", async () => {
    for (const field of ["idempotencyKey", "externalInputPayloadStoragePath"]) {
      const start = given().api.post("/workflow", { name: "x", [field]: "y" });
      await given().refused(start, 501, new RegExp(`field ${field} of a start`));
    }
  });

  test("rerun from a task that the engine does itself", async () => {
    const type = await given().task();
    const id = await given().workflow([
      { name: "fork", taskReferenceName: "fork", type: "FORK_JOIN", forkTasks: [[step(type, "a")]] },
      { name: "join", taskReferenceName: "join", type: "JOIN", joinOn: ["a"] },
    ]);
    await given().ok(given().api.delete(`/workflow/${id}`));
    const fork = (await given().read(id)).at("tasks", 0, "taskId").raw;
    await given().refused(
      given().api.post(`/workflow/${id}/rerun`, { reRunFromTaskId: fork }),
      501,
      /rerun from a FORK/,
    );
  });

  test("a body that says that it is too large is a 413", async () => {
    const body = JSON.stringify({ x: "x".repeat(64 * 1024 * 1024) });
    expect((await given().api.post("/workflow", body)).status).toBe(413);
  });
});

describe("what is here is not refused", () => {
  test.each([
    [
      "default values of fields that are not here",
      step("t", "a", { permissive: false, asyncComplete: false, onStateChange: {} }),
    ],
    ["a path with everything that is here", uses("${workflow.input['a-b'].list[0:2].length()}")],
    ["a path that is made when it runs", uses("${workflow.input.${workflow.input.key}..x}")],
    ["the task's own id", uses("${CPEWF_TASK_ID}")],
  ])("%s", async (_name, task) => {
    const body = workflowDef(unique("workflow"), [task]);
    expect((await given().api.post("/metadata/workflow", body)).status).toBe(200);
  });
});
