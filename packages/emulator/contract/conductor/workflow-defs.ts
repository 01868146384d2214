import { expect, test } from "vitest";
import { type GivenNow, step, unique, workflowDef } from "./given.ts";

const REFUSED = "Validation failed, check below errors for detail.";
const a = step("t", "a");

/** Rules of workflow definitions. */
export function workflowDefSuite(given: GivenNow): void {
  readsAndWrites(given);
  oddBodies(given);
  refusals(given);
}

function readsAndWrites(given: GivenNow): void {
  test("a definition reads back with the defaults of what it leaves out", async () => {
    const name = unique("workflow");
    const body = { name, tasks: [{ name: "t", taskReferenceName: "a" }] };
    const answer = await given().api.post("/metadata/workflow", body);
    expect([answer.status, answer.text]).toEqual([200, ""]);
    const read = await given().ok(given().api.get(`/metadata/workflow/${name}`));
    expect(read.body.raw).toMatchObject({
      name,
      version: 1,
      schemaVersion: 2,
      restartable: true,
      timeoutPolicy: "ALERT_ONLY",
      timeoutSeconds: 0,
      inputParameters: [],
      outputParameters: {},
      updateTime: 0,
      createTime: expect.any(Number),
      tasks: [
        { name: "t", taskReferenceName: "a", type: "SIMPLE", inputParameters: {}, optional: false, startDelay: 0 },
      ],
    });
  });

  test("case C13: a version that exists is a 409 to create", async () => {
    const name = await given().workflowDef([a]);
    const again = given().api.post("/metadata/workflow", workflowDef(name, [a]));
    await given().refused(again, 409, `Workflow with ${name}.1 already exists!`);
    await given().ok(given().api.post("/metadata/workflow", workflowDef(name, [a], { version: 2 })));
  });

  test("PUT writes versions over what is there, and makes new ones", async () => {
    const name = await given().workflowDef([a]);
    const body = [workflowDef(name, [a], { description: "new" }), workflowDef(name, [a], { version: 3 })];
    const answer = await given().ok(given().api.put("/metadata/workflow", body));
    expect(answer.body.raw).toEqual({ bulkErrorResults: {}, bulkSuccessfulResults: [name, name] });
    expect((await given().api.get(`/metadata/workflow/${name}?version=1`)).body.at("description").raw).toBe("new");
    expect((await given().api.get(`/metadata/workflow/${name}`)).body.at("version").raw).toBe(3);
  });

  test("a version or name that is not there is a 404 to read and a 500 to delete", async () => {
    const name = await given().workflowDef([a]);
    const unknown = `No such workflow found by name: ${name}, version: 9`;
    await given().refused(given().api.get(`/metadata/workflow/${name}?version=9`), 404, unknown);
    const none = unique("no");
    const nothing = `No such workflow found by name: ${none}, version: null`;
    await given().refused(given().api.get(`/metadata/workflow/${none}`), 404, nothing);
    await given().refused(given().api.delete(`/metadata/workflow/${name}/9`), 500, /^No such workflow definition/);
  });

  test("a deleted version is gone, the others stay", async () => {
    const name = await given().workflowDef([a]);
    await given().ok(given().api.put("/metadata/workflow", [workflowDef(name, [a], { version: 2 })]));
    await given().ok(given().api.delete(`/metadata/workflow/${name}/2`));
    expect((await given().api.get(`/metadata/workflow/${name}`)).body.at("version").raw).toBe(1);
    const all = (await given().ok(given().api.get("/metadata/workflow"))).body.list();
    expect(all.filter((def) => def.at("name").raw === name)).toHaveLength(1);
  });
}

function oddBodies(given: GivenNow): void {
  test("validate checks and keeps nothing", async () => {
    const name = unique("workflow");
    await given().ok(given().api.post("/metadata/workflow/validate", workflowDef(name, [a])));
    expect((await given().api.get(`/metadata/workflow/${name}`)).status).toBe(404);
    const bad = given().api.post("/metadata/workflow/validate", workflowDef(name, []));
    await given().refused(bad, 400, REFUSED);
  });

  test("what is accepted although it looks odd", async () => {
    const odd = [{ version: 0 }, { version: undefined }, { timeoutSeconds: -1 }, { ownerEmail: undefined }];
    for (const more of odd) {
      const body = workflowDef(unique("workflow"), [a], more);
      expect((await given().api.post("/metadata/workflow", body)).status, JSON.stringify(more)).toBe(200);
    }
  });

  test("an unreadable body is a 500", async () => {
    await given().refused(given().api.post("/metadata/workflow", "{x"), 500, /^JSON parse error/);
    await given().refused(given().api.put("/metadata/workflow", workflowDef("x", [a])), 500, /^JSON parse error/);
    await given().refused(given().api.put("/metadata/workflow", []), 400, REFUSED);
  });
}

function refusals(given: GivenNow): void {
  const uses = (text: string): unknown[] => [step("t", "a", { inputParameters: { p: text } })];
  test.each([
    ["no steps", { tasks: [] }, /^WorkflowTask list cannot be empty$/],
    ["an empty name", { name: "" }, /^WorkflowDef name cannot be null or empty$/],
    ["case C07: schema version 1", { schemaVersion: 1 }, /^workflowDef schemaVersion: 2 is only supported$/],
    ["one reference name twice", { tasks: [a, a] }, /^taskReferenceName: a should be unique across tasks/],
    ["a step without a name", { tasks: [step("", "a")] }, /^WorkflowTask name cannot be empty or null$/],
    ["a step without a reference name", { tasks: [step("t", "")] }, /^WorkflowTask taskReferenceName name cannot be/],
    [
      "a fork without branches",
      { tasks: [step("t", "a", { type: "FORK_JOIN" })] },
      /^forkTasks should have atleast one/,
    ],
    [
      "a switch without cases",
      { tasks: [step("t", "a", { type: "SWITCH", evaluatorType: "value-param", expression: "x" })] },
      /^decisionCases should have atleast one task/,
    ],
    [
      "a loop without a condition",
      { tasks: [step("t", "a", { type: "DO_WHILE", loopOver: [step("t", "b")] })] },
      /^loopCondition field is required/,
    ],
    [
      "an expression that names no step",
      { tasks: uses("${zzz.output.x}") },
      /^taskReferenceName: zzz .* is not defined in workflow definition\.$/,
    ],
    ["an expression without a field", { tasks: uses("${nodot}") }, /^taskReferenceName: nodot /],
    ["a blank in an expression", { tasks: uses("${b c}") }, /^key: p input parameter value: b c is not valid$/],
    ["an empty expression", { tasks: uses("${}") }, /^key: p input parameter value: .* is not valid$/],
  ])("%s is refused with 400", async (_name, more, message) => {
    const body = workflowDef(unique("workflow"), [a], more);
    const answer = await given().refused(given().api.post("/metadata/workflow", body), 400, REFUSED);
    const messages = answer.body
      .at("validationErrors")
      .list()
      .map((finding) => finding.at("message").text());
    expect(
      messages.some((one) => message.test(one)),
      messages.join("\n"),
    ).toBe(true);
  });
}
