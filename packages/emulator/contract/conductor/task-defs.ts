import { expect, test } from "vitest";
import { type GivenNow, taskDef, unique } from "./given.ts";

const REFUSED = "Validation failed, check below errors for detail.";

/** Rules of task definitions (cases C01, C02, C13). */
export function taskDefSuite(given: GivenNow): void {
  readsAndWrites(given);
  rules(given);
  bodies(given);
}

function readsAndWrites(given: GivenNow): void {
  test("a definition reads back with the defaults of what it leaves out", async () => {
    const name = unique("task");
    const answer = await given().api.post("/metadata/taskdefs", [{ name, timeoutSeconds: 0 }]);
    expect([answer.status, answer.text]).toEqual([200, ""]);
    const read = await given().ok(given().api.get(`/metadata/taskdefs/${name}`));
    expect(read.body.raw).toMatchObject({
      name,
      retryCount: 3,
      retryLogic: "FIXED",
      retryDelaySeconds: 60,
      responseTimeoutSeconds: 3600,
      timeoutSeconds: 0,
      totalTimeoutSeconds: 0,
      timeoutPolicy: "TIME_OUT_WF",
      rateLimitPerFrequency: 0,
      rateLimitFrequencyInSeconds: 1,
      backoffScaleFactor: 1,
      maxRetryDelaySeconds: 0,
      backoffJitterMs: 0,
      inputKeys: [],
      outputKeys: [],
      inputTemplate: {},
      enforceSchema: false,
      updateTime: 0,
      createTime: expect.any(Number),
    });
  });

  test("case J01: schemas are kept and answered as they came", async () => {
    const schema = { name: "s", version: 1, type: "JSON", data: { type: "object" } };
    const name = await given().task({
      inputSchema: schema,
      outputSchema: schema,
      description: "d",
      inputKeys: ["params"],
    });
    const read = await given().api.get(`/metadata/taskdefs/${name}`);
    expect(read.body.raw).toMatchObject({
      inputSchema: { name: "s", version: 1, type: "JSON", data: { type: "object" } },
      outputSchema: { name: "s" },
      description: "d",
      inputKeys: ["params"],
    });
  });

  test("case C13: registering again overwrites without a word", async () => {
    const name = await given().task({ retryCount: 7 });
    await given().ok(given().api.post("/metadata/taskdefs", [taskDef(name, { retryCount: 2, description: "new" })]));
    expect((await given().api.get(`/metadata/taskdefs/${name}`)).body.raw).toMatchObject({
      retryCount: 2,
      description: "new",
    });
  });
}

function rules(given: GivenNow): void {
  test("PUT changes a definition, and is a 404 for one that is not there", async () => {
    const name = await given().task();
    const answer = await given().ok(given().api.put("/metadata/taskdefs", taskDef(name, { retryCount: 5 })));
    expect(answer.text).toBe("");
    const read = await given().api.get(`/metadata/taskdefs/${name}`);
    expect(read.body.at("retryCount").raw).toBe(5);
    expect(read.body.at("updateTime").number()).toBeGreaterThan(0);
    await given().refused(given().api.put("/metadata/taskdefs", taskDef(unique("no"))), 404, /^No such task by name /);
  });

  test("a definition that is not there is a 404 to read and a 500 to delete", async () => {
    const name = unique("no");
    await given().refused(
      given().api.get(`/metadata/taskdefs/${name}`),
      404,
      `No such taskType found by name: ${name}`,
    );
    await given().refused(given().api.delete(`/metadata/taskdefs/${name}`), 500, "No such task definition");
  });

  test("a deleted definition is gone, and the list shows only those that are there", async () => {
    const [kept, gone] = [await given().task(), await given().task()];
    await given().ok(given().api.delete(`/metadata/taskdefs/${gone}`));
    const names = (await given().ok(given().api.get("/metadata/taskdefs"))).body
      .list()
      .map((def) => def.at("name").raw);
    expect(names).toContain(kept);
    expect(names).not.toContain(gone);
  });

  test.each([
    [
      "case C01: a response timeout of 0",
      { responseTimeoutSeconds: 0 },
      /responseTimeoutSeconds: 0 should be minimum 1/,
    ],
    [
      "case C02: a response timeout above the timeout",
      { responseTimeoutSeconds: 5, timeoutSeconds: 4 },
      /responseTimeoutSeconds: 5 must be less than timeoutSeconds: 4$/,
    ],
    [
      "case C02: a timeout above the total timeout",
      { responseTimeoutSeconds: 5, timeoutSeconds: 10, totalTimeoutSeconds: 9 },
      /timeoutSeconds: 10 must be less than or equal to totalTimeoutSeconds: 9$/,
    ],
    ["an empty name", { name: "" }, /^TaskDef name cannot be null or empty$/],
    ["a negative retry count", { retryCount: -1 }, /retryCount: 0 must be >= 0/],
    ["a negative poll timeout", { pollTimeoutSeconds: -1 }, /pollTimeoutSeconds: 0 must be >= 0/],
    ["a negative jitter", { backoffJitterMs: -1 }, /backoffJitterMs: 0 must be >= 0/],
    ["a negative longest delay", { maxRetryDelaySeconds: -1 }, /maxRetryDelaySeconds: 0 must be >= 0/],
    ["a scale factor of 0", { backoffScaleFactor: 0 }, /^Backoff scale factor/],
  ])("%s is refused, and nothing of the request is kept", async (_name, more, message) => {
    const good = unique("task");
    const body = [taskDef(good), taskDef(unique("task"), more)];
    const answer = await given().refused(given().api.post("/metadata/taskdefs", body), 400, REFUSED);
    const [finding] = answer.body.at("validationErrors").list();
    expect(finding?.at("message").text()).toMatch(message);
    expect(finding?.at("path").text()).toMatch(/^registerTaskDef\.arg0\[1\]/);
    expect((await given().api.get(`/metadata/taskdefs/${good}`)).status).toBe(404);
  });
}

function bodies(given: GivenNow): void {
  test.each([
    ["equal timeouts", { responseTimeoutSeconds: 5, timeoutSeconds: 5, totalTimeoutSeconds: 5 }],
    ["a timeout of 0 below any response timeout", { responseTimeoutSeconds: 500, timeoutSeconds: 0 }],
    ["a total timeout without a timeout", { responseTimeoutSeconds: 5, timeoutSeconds: 0, totalTimeoutSeconds: 1 }],
    ["case C03: no owner, where the server does not ask for one", { ownerEmail: undefined }],
    ["numbers in quotes", { retryCount: "3" }],
    ["fields that it does not know", { noSuchField: 1 }],
    ["eleven retries", { retryCount: 11 }],
  ])("%s: accepted", async (_name, more) => {
    expect((await given().api.post("/metadata/taskdefs", [taskDef(unique("task"), more)])).status).toBe(200);
  });

  test.each([
    ["a word that is none of the enum", [taskDef(unique("task"), { retryLogic: "X" })], /^JSON parse error/],
    ["a text for a list", [taskDef(unique("task"), { inputKeys: "x" })], /^JSON parse error/],
    ["an object for the list", taskDef(unique("task")), /^JSON parse error/],
    ["half a body", "{", /^JSON parse error/],
  ])("%s is a 500, not a 400", async (_name, body, message) => {
    await given().refused(given().api.post("/metadata/taskdefs", body), 500, message);
  });

  test("no body, an empty list and another content type are refused", async () => {
    await given().refused(given().api.post("/metadata/taskdefs"), 500, /^Required request body is missing/);
    await given().refused(given().api.post("/metadata/taskdefs", []), 400, REFUSED);
    await given().refused(given().api.send("POST", "/metadata/taskdefs", "x", "text/plain"), 500, /is not supported$/);
  });
}
