import { expect, test } from "vitest";
import { type GivenNow, step, unique } from "./given.ts";

/** Sizes of queues, who polls, health, and what no server has. */
export function queueSuite(given: GivenNow): void {
  test("a queue's size is what waits in it", async () => {
    const type = await given().task();
    for (let n = 0; n < 2; n += 1) await given().workflow([step(type, "a")]);
    const size = async (): Promise<unknown> =>
      (await given().ok(given().api.get(`/tasks/queue/size?taskType=${type}`))).body.raw;
    expect(await size()).toBe(2);
    await given().poll(type);
    expect(await size()).toBe(1);
    const none = unique("none");
    const sizes = await given().ok(given().api.get(`/tasks/queue/sizes?taskType=${type}&taskType=${none}`));
    expect(sizes.body.raw).toEqual({ [type]: 1, [none]: 0 });
    expect((await given().ok(given().api.get("/tasks/queue/all"))).body.at(type).raw).toBe(1);
  });

  test("sizes of no type are a 500", async () => {
    expect((await given().api.get("/tasks/queue/sizes")).status).toBe(500);
  });

  test("a task of a domain waits in the queue of that domain", async () => {
    const type = await given().task();
    const name = await given().workflowDef([step(type, "a")]);
    await given().ok(given().api.post("/workflow", { name, taskToDomain: { [type]: "north" } }));
    const all = (await given().ok(given().api.get("/tasks/queue/all"))).body;
    expect(all.at(`north:${type}`).raw).toBe(1);
    expect((await given().api.get(`/tasks/queue/size?taskType=${type}&domain=north`)).body.raw).toBe(1);
  });

  test("poll data names worker, domain and time of the last poll", async () => {
    const type = unique("polled");
    await given().ok(given().api.get(`/tasks/poll/batch/${type}?workerid=w5&count=1&timeout=0&domain=north`));
    const data = await given().ok(given().api.get(`/tasks/queue/polldata?taskType=${type}`));
    expect(data.body.list().map((one) => one.raw)).toEqual([
      { queueName: type, domain: "north", workerId: "w5", lastPollTime: expect.any(Number) },
    ]);
  });

  test("health is beside the API, and below it", async () => {
    for (const answer of [await given().api.root("/health"), await given().api.get("/health")]) {
      expect(answer.status).toBe(200);
      expect(answer.body.at("healthy").raw).toBe(true);
    }
  });

  test("paths that no server has are a 404, methods that a path does not have a 405", async () => {
    await given().refused(given().api.get("/nosuch/x"), 404, "No static resource api/nosuch/x.");
    await given().refused(
      given().api.send("PATCH", "/metadata/taskdefs"),
      405,
      "Request method 'PATCH' is not supported",
    );
  });
}
