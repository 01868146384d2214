import { expect, test } from "vitest";
import { type GivenNow, states, step, taskDef, unique, workflowDef } from "./given.ts";

/** Starting workflows and reading them. */
export function startSuite(given: GivenNow): void {
  starts(given);
  reads(given);
  definitions(given);
}

function starts(given: GivenNow): void {
  test("a start by path answers the id as text, and the run shows what it was started with", async () => {
    const type = await given().task();
    const name = await given().workflowDef([step(type, "a")]);
    const started = await given().ok(
      given().api.post(`/workflow/${name}?version=1&correlationId=c1&priority=3`, { x: 1 }),
    );
    expect(started.contentType).toMatch(/^text\/plain/);
    const workflow = await given().read(started.text);
    expect(workflow.raw).toMatchObject({
      workflowId: started.text,
      workflowName: name,
      workflowVersion: 1,
      status: "RUNNING",
      input: { x: 1 },
      output: {},
      correlationId: "c1",
      priority: 3,
      endTime: 0,
      taskToDomain: {},
      failedReferenceTaskNames: [],
    });
    expect(workflow.at("startTime").raw).toBe(workflow.at("createTime").raw);
  });

  test("a scheduled task carries everything that a worker needs", async () => {
    const type = await given().task({ responseTimeoutSeconds: 77 });
    const id = await given().workflow([step(type, "a", { inputParameters: { k: 5 } })]);
    const task = (await given().read(id)).at("tasks", 0);
    expect(task.raw).toMatchObject({
      taskType: type,
      taskDefName: type,
      referenceTaskName: "a",
      workflowInstanceId: id,
      status: "SCHEDULED",
      inputData: { k: 5 },
      outputData: {},
      seq: 1,
      retryCount: 0,
      pollCount: 0,
      iteration: 0,
      startTime: 0,
      endTime: 0,
      updateTime: 0,
      retried: false,
      executed: false,
      loopOverTask: false,
      responseTimeoutSeconds: 77,
      taskDefinition: { name: type, responseTimeoutSeconds: 77 },
      workflowTask: { name: type, taskReferenceName: "a", type: "SIMPLE", taskDefinition: { name: type } },
    });
    expect(task.at("scheduledTime").number()).toBeGreaterThan(0);
    expect(task.at("workerId").raw).toBeUndefined();
    expect(task.at("reasonForIncompletion").raw).toBeUndefined();
  });
}

function reads(given: GivenNow): void {
  test("a start by body takes name, version, input and correlation id; without a version it is the latest", async () => {
    const name = await given().workflowDef([step("t", "a")]);
    await given().ok(given().api.put("/metadata/workflow", [workflowDef(name, [step("t", "b")], { version: 2 })]));
    const first = await given().ok(
      given().api.post("/workflow", { name, version: 1, input: { x: 1 }, correlationId: "c", priority: 4 }),
    );
    expect((await given().read(first.text)).raw).toMatchObject({
      workflowVersion: 1,
      correlationId: "c",
      priority: 4,
      input: { x: 1 },
    });
    const latest = await given().ok(given().api.post("/workflow", { name }));
    expect(states(await given().read(latest.text))).toEqual(["b SCHEDULED"]);
  });

  test("a definition in the body of a start is run without being registered", async () => {
    const name = unique("inline");
    const body = { name, version: 1, workflowDef: workflowDef(name, [step("t", "a")]), input: {} };
    const started = await given().ok(given().api.post("/workflow", body));
    expect(states(await given().read(started.text))).toEqual(["a SCHEDULED"]);
    expect((await given().api.get(`/metadata/workflow/${name}`)).status).toBe(404);
  });

  test("starts that cannot be are refused", async () => {
    const none = unique("no");
    const { api } = given();
    await given().refused(
      api.post(`/workflow/${none}`, {}),
      404,
      `No such workflow found by name: ${none}, version: null`,
    );
    const byBody = `No such workflow defined. name=${none}, version=2`;
    await given().refused(api.post("/workflow", { name: none, version: 2 }), 404, byBody);
    await given().refused(api.post("/workflow", { input: {} }), 400, /^Validation failed/);
    await given().refused(api.post(`/workflow/${none}`), 500, /^Required request body is missing/);
    await given().refused(api.post(`/workflow/${none}`, []), 500, /^JSON parse error/);
  });

  test("tasks are left out of a read that does not want them", async () => {
    const id = await given().workflow([step("t", "a")]);
    const read = await given().ok(given().api.get(`/workflow/${id}?includeTasks=false`));
    expect(read.body.raw).toMatchObject({ workflowId: id, tasks: [] });
  });

  test("unknown workflows and tasks are a 404", async () => {
    const { api } = given();
    await given().refused(api.get("/workflow/none"), 404, "No such workflow found by id: none");
    await given().refused(api.get("/workflow/none/status"), 404, "No such workflow found by id: none");
    await given().refused(api.get("/tasks/none"), 404, "Task not found for taskId: none");
  });

  test("the status is read alone, with output and variables where they are wanted", async () => {
    const id = await given().workflow([step("t", "a")]);
    const bare = await given().ok(given().api.get(`/workflow/${id}/status`));
    expect(bare.body.raw).toMatchObject({ workflowId: id, status: "RUNNING" });
    const full = await given().ok(given().api.get(`/workflow/${id}/status?includeOutput=true&includeVariables=true`));
    expect(full.body.raw).toMatchObject({ output: {}, variables: {} });
  });
}

function definitions(given: GivenNow): void {
  test("running workflows of a name are listed", async () => {
    const name = await given().workflowDef([step("t", "a")]);
    const started = await given().ok(given().api.post(`/workflow/${name}`, {}));
    expect((await given().ok(given().api.get(`/workflow/running/${name}`))).body.raw).toEqual([started.text]);
    await given().ok(given().api.delete(`/workflow/${started.text}`));
    expect((await given().ok(given().api.get(`/workflow/running/${name}`))).body.raw).toEqual([]);
  });

  test("case C06: a run keeps the task definition it started with", async () => {
    const type = await given().task({ retryCount: 0, responseTimeoutSeconds: 50 });
    const id = await given().workflow([step(type, "a")]);
    await given().ok(given().api.post("/metadata/taskdefs", [taskDef(type, { retryCount: 5 })]));
    const task = await given().poll(type);
    expect(task.at("taskDefinition", "retryCount").raw).toBe(0);
    await given().report(task, "FAILED", { reasonForIncompletion: "x" });
    expect((await given().read(id)).at("status").raw).toBe("FAILED");
  });

  test("a worker task that is not registered has the default definition", async () => {
    const type = unique("unregistered");
    const id = await given().workflow([step(type, "a")]);
    expect((await given().read(id)).at("tasks", 0).raw).toMatchObject({
      status: "SCHEDULED",
      taskDefinition: { name: type, retryCount: 3, retryDelaySeconds: 60, responseTimeoutSeconds: 3600 },
    });
  });

  test("an optional step that fails for good lets the workflow go on", async () => {
    const type = await given().task();
    const id = await given().workflow([step(type, "a", { optional: true }), step(type, "b")]);
    await given().report(await given().poll(type), "FAILED_WITH_TERMINAL_ERROR", { reasonForIncompletion: "x" });
    expect(states(await given().read(id))).toEqual(["a COMPLETED_WITH_ERRORS", "b SCHEDULED"]);
  });

  test("a start delay keeps a step from polls", async () => {
    const type = await given().task();
    const id = await given().workflow([step(type, "a", { startDelay: 30 })]);
    expect(await given().pollNow(type)).toEqual([]);
    expect((await given().read(id)).at("tasks", 0).raw).toMatchObject({
      startDelayInSeconds: 30,
      callbackAfterSeconds: 30,
    });
  });
}
