import { afterEach, describe, expect, test } from "vitest";
import { ids, states, step, until } from "../contract/conductor/given.ts";
import { localConductor } from "./conductor-tools/local.ts";

const { emulator, given } = localConductor();

afterEach(() => emulator().faults.clear());

describe("faults of the connection", () => {
  test("fault E8: a task in an answer that got lost is with nobody, and waits out its response timeout", async () => {
    const type = await given().task({ responseTimeoutSeconds: 60 });
    const id = await given().workflow([step(type, "a")]);
    emulator().faults.add({ kind: "drop-answer", server: "conductor", path: "/tasks/poll/batch" });
    await expect(given().api.get(`/tasks/poll/batch/${type}?count=1&timeout=0`)).rejects.toThrow("fetch failed");
    expect(await given().pollNow(type)).toEqual([]);
    expect(states(await given().read(id))).toEqual(["a IN_PROGRESS"]);
    emulator().clock.advance(61_000);
    expect((await given().pollNow(type))[0]?.at("retryCount").raw).toBe(1);
  });

  test("case R11: a client that leaves a waiting poll takes the task that comes with it", async () => {
    const type = await given().task();
    const leaving = new AbortController();
    const url = `${emulator().conductor.url}/tasks/poll/batch/${type}?count=1&timeout=4000`;
    const arrival = emulator().faults.add({ kind: "delay", delayMs: 0, when: "before", path: `/poll/batch/${type}` });
    const poll = fetch(url, { signal: leaving.signal });
    await until("the poll has arrived", async () => (arrival.seen > 0 ? true : undefined));
    leaving.abort();
    await expect(poll).rejects.toThrow(/abort/i);
    const id = await given().workflow([step(type, "a")]);
    expect(states(await given().read(id))).toEqual(["a IN_PROGRESS"]);
  });

  test("fault B10: a report whose answer got lost is there", async () => {
    const { id, task } = await given().running();
    emulator().faults.add({ kind: "drop-answer", method: "POST", path: /\/api\/tasks$/ });
    await expect(given().report(task, "COMPLETED", { outputData: { v: 1 } })).rejects.toThrow("fetch failed");
    expect((await given().readTask(task)).raw).toMatchObject({ status: "COMPLETED", outputData: { v: 1 } });
    expect((await given().read(id)).at("status").raw).toBe("COMPLETED");
  });

  test("a report that did not arrive is not there", async () => {
    const { task } = await given().running();
    emulator().faults.add({ kind: "drop-request", method: "POST", path: /\/api\/tasks$/ });
    await expect(given().report(task, "COMPLETED")).rejects.toThrow("fetch failed");
    expect((await given().readTask(task)).at("status").raw).toBe("IN_PROGRESS");
  });

  test("fault E5: a 429 and a 503 do nothing", async () => {
    const { task } = await given().running();
    for (const status of [429, 503]) {
      emulator().faults.add({
        kind: "answer",
        status,
        body: JSON.stringify({ status, message: "busy", retryable: false }),
        headers: { "content-type": "application/json" },
        method: "POST",
        path: /\/api\/tasks$/,
      });
      expect((await given().api.post("/tasks", { ...ids(task), status: "COMPLETED" })).status).toBe(status);
    }
    expect((await given().readTask(task)).at("status").raw).toBe("IN_PROGRESS");
  });
});
