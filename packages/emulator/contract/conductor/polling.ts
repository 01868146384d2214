import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { type GivenNow, step, unique } from "./given.ts";

const batch = (type: string, query: string): string => `/tasks/poll/batch/${type}?workerid=w1&${query}`;

/** Polls with their real timing. */
export function pollSuite(given: GivenNow): void {
  handingOut(given);
  limitsAndDomains(given);
}

function handingOut(given: GivenNow): void {
  test("a task is handed out once, in progress, with worker, start time and poll count", async () => {
    const type = await given().task();
    const id = await given().workflow([step(type, "a")]);
    const task = await given().poll(type);
    expect(task.raw).toMatchObject({ status: "IN_PROGRESS", workerId: "w1", pollCount: 1, workflowInstanceId: id });
    expect(task.at("startTime").number()).toBeGreaterThanOrEqual(task.at("scheduledTime").number());
    expect(task.at("updateTime").number()).toBeGreaterThanOrEqual(task.at("startTime").number());
    expect(await given().pollNow(type)).toEqual([]);
    expect((await given().readTask(task)).raw).toMatchObject({ status: "IN_PROGRESS", workerId: "w1", pollCount: 1 });
  });

  test("a single poll answers the task, or 204 without one", async () => {
    const type = await given().task();
    const nothing = await given().api.get(`/tasks/poll/${type}`);
    expect([nothing.status, nothing.text]).toEqual([204, ""]);
    await given().workflow([step(type, "a")]);
    const one = await given().api.get(`/tasks/poll/${type}?workerid=w9`);
    expect(one.body.raw).toMatchObject({ taskType: type, workerId: "w9", status: "IN_PROGRESS" });
  });

  test("a batch poll answers a list, an empty one where there is nothing", async () => {
    const answer = await given().ok(given().api.get(batch(unique("none"), "count=3&timeout=0")));
    expect([answer.status, answer.body.raw]).toEqual([200, []]);
    expect(answer.tookMs).toBeLessThan(500);
  });

  test("a batch poll for more than there is returns only at its timeout, and starts the task then", async () => {
    const type = await given().task();
    await given().workflow([step(type, "a")]);
    const answer = await given().ok(given().api.get(batch(type, "count=2&timeout=1000")));
    expect(answer.tookMs).toBeGreaterThan(900);
    const task = answer.body.at(0);
    expect(task.at("startTime").number() - task.at("scheduledTime").number()).toBeGreaterThan(900);
  });

  test("a batch poll for what there is returns at once", async () => {
    const type = await given().task();
    for (let n = 0; n < 2; n += 1) await given().workflow([step(type, "a")]);
    const answer = await given().ok(given().api.get(batch(type, "count=2&timeout=4000")));
    expect(answer.body.list()).toHaveLength(2);
    expect(answer.tookMs).toBeLessThan(1_500);
  });

  test("a poll with timeout 0 returns what there is at once", async () => {
    const type = await given().task();
    await given().workflow([step(type, "a")]);
    const answer = await given().ok(given().api.get(batch(type, "count=5&timeout=0")));
    expect(answer.body.list()).toHaveLength(1);
    expect(answer.tookMs).toBeLessThan(500);
  });

  test("a waiting poll gets what arrives meanwhile", async () => {
    const type = await given().task();
    const name = await given().workflowDef([step(type, "a")]);
    const waiting = given().api.get(batch(type, "count=1&timeout=4000"));
    await sleep(200);
    await given().ok(given().api.post(`/workflow/${name}`, {}));
    const answer = await given().ok(waiting);
    expect(answer.body.list()).toHaveLength(1);
    expect(answer.tookMs).toBeLessThan(3_000);
  });
}

function limitsAndDomains(given: GivenNow): void {
  test("without count and timeout it is one task and a tenth of a second", async () => {
    const type = await given().task();
    for (let n = 0; n < 2; n += 1) await given().workflow([step(type, "a")]);
    expect((await given().ok(given().api.get(`/tasks/poll/batch/${type}`))).body.list()).toHaveLength(1);
    const nothing = await given().ok(given().api.get(`/tasks/poll/batch/${unique("none")}`));
    expect(nothing.tookMs).toBeGreaterThan(80);
    expect(nothing.tookMs).toBeLessThan(1_000);
  });

  test("limits of a poll: above 5 s is a 400, count 0 is nothing, a word is a 500", async () => {
    const type = await given().task();
    await given().workflow([step(type, "a")]);
    const tooLong = "Long Poll Timeout value cannot be more than 5 seconds";
    await given().refused(given().api.get(batch(type, "count=1&timeout=5001")), 400, tooLong);
    expect((await given().ok(given().api.get(batch(type, "count=0&timeout=0")))).body.raw).toEqual([]);
    await given().refused(given().api.get(batch(type, "count=x&timeout=0")), 500, /For input string: "x"/);
    expect((await given().ok(given().api.get(batch(type, "count=1&timeout=-1")))).body.list()).toHaveLength(1);
  });

  test("higher priority goes first, then the older one", async () => {
    const type = await given().task();
    const name = await given().workflowDef([step(type, "a")]);
    const start = async (priority: number): Promise<string> =>
      (await given().ok(given().api.post(`/workflow/${name}?priority=${priority}`, {}))).text;
    const [first, second, urgent] = [await start(0), await start(0), await start(9)];
    const order = [];
    for (let n = 0; n < 3; n += 1) order.push((await given().poll(type)).at("workflowInstanceId").raw);
    expect(order).toEqual([urgent, first, second]);
  });

  test("a task of a domain is handed out in that domain only", async () => {
    const type = await given().task();
    const name = await given().workflowDef([step(type, "a")]);
    const { text } = await given().ok(given().api.post("/workflow", { name, taskToDomain: { [type]: "north" } }));
    expect(await given().pollNow(type)).toEqual([]);
    expect((await given().ok(given().api.get(batch(type, "count=1&timeout=0&domain=south")))).body.raw).toEqual([]);
    const task = await given().poll(type, "&domain=north");
    expect(task.raw).toMatchObject({ domain: "north", workflowInstanceId: text });
    expect((await given().read(text)).at("taskToDomain").raw).toEqual({ [type]: "north" });
  });

  test("of several domains it is the one where somebody polls, else the last", async () => {
    const type = await given().task();
    const name = await given().workflowDef([step(type, "a")]);
    const start = async (domains: string): Promise<unknown> => {
      const { text } = await given().ok(given().api.post("/workflow", { name, taskToDomain: { "*": domains } }));
      return (await given().read(text)).at("tasks", 0, "domain").raw;
    };
    expect(await start("a,b")).toBe("b");
    await given().ok(given().api.get(batch(type, "count=1&timeout=0&domain=a")));
    expect(await start("a,b")).toBe("a");
    expect(await start("c,NO_DOMAIN")).toBeUndefined();
  });
}
