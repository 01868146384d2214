import { afterEach, describe, expect, it } from "vitest";
import type { AttemptIdentity } from "@perago/fence";
import { AttemptError } from "../failure.ts";
import { createAttemptSource } from "./attempt-source.ts";
import { createConductorHttp } from "./http.ts";
import { createLease } from "./lease.ts";
import { createLeaseServer } from "./lease-server.ts";
import { startFakeEngine, wireTask, type FakeEngine, type FakeHandler } from "./testing/fake-engine.ts";
import { eventually } from "./testing/eventually.ts";
import { systemClock } from "../system-clock.ts";

let server: FakeEngine | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const held: AttemptIdentity = {
  workflowInstanceId: "wf-1",
  taskId: "task-1",
  retryCount: 0,
  scheduledTime: 1_796_059_984_547,
  pollCount: 1,
  workerId: "host-abcdef",
};

async function start(handler: FakeHandler): Promise<FakeEngine> {
  server = await startFakeEngine(handler);
  return server;
}

function leaseOn(engine: FakeEngine, heartbeatTimeoutMs = 2_000): ReturnType<typeof createLease> {
  return createLease({
    held,
    pollSentAtMs: systemClock.nowMs(),
    times: { leaseMs: 60_000, cadenceMs: 20, heartbeatTimeoutMs, retryMs: 20 },
    server: createLeaseServer(createConductorHttp({ serverUrl: engine.url })),
    clock: systemClock,
    events: { onLost() {}, onTrouble() {} },
  });
}

function isBeat(json: unknown): boolean {
  return typeof json === "object" && json !== null && "extendLease" in json;
}

const okHandler: FakeHandler = (request) =>
  request.method === "GET" ? { json: wireTask() } : { text: "task-1", headers: { "content-type": "text/plain" } };

describe("what goes over the wire", () => {
  it("case R03: three heartbeats are extendLease and nothing else, each followed by a read", async () => {
    const engine = await start(okHandler);
    const lease = leaseOn(engine);
    await lease.start();
    await eventually("six requests", () => engine.requests.length >= 6);
    await lease.stop();
    const seen = engine.requests.slice(0, 6).map((request) => `${request.method} ${request.path}`);
    expect(seen).toEqual(Array.from({ length: 3 }, () => ["POST /tasks", "GET /tasks/task-1"]).flat());
    for (const request of engine.requests.filter((each) => each.method === "POST")) {
      expect(request.json).toEqual({
        workflowInstanceId: "wf-1",
        taskId: "task-1",
        workerId: "host-abcdef",
        extendLease: true,
      });
    }
  });

  it("case R05, rule R4: a delayed heartbeat is answered before the report is sent", async () => {
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const engine = await start(async (request) => {
      if (request.method === "GET") return { json: wireTask() };
      if (!isBeat(request.json)) {
        order.push("report");
        return { text: "task-1" };
      }
      order.push("heartbeat arrived");
      await gate.promise;
      order.push("heartbeat answered");
      return { text: "task-1" };
    });
    const lease = leaseOn(engine, 10_000);
    const source = createAttemptSource(createConductorHttp({ serverUrl: engine.url }));
    await lease.start();
    await eventually("a heartbeat is in flight", () => order.length === 1);
    const reported = lease.stop().then(async (end) => {
      await source.report({ ...held, status: "COMPLETED", outputJson: "{}" }, 5_000);
      return end;
    });
    gate.resolve();
    expect(await reported).toEqual({ unanswered: false });
    expect(order).toEqual(["heartbeat arrived", "heartbeat answered", "report"]);
  });

  it("rule R4: a heartbeat whose answer never comes is bounded and remembered", async () => {
    const engine = await start((request) => (request.method === "GET" ? { json: wireTask() } : "hang"));
    const lease = leaseOn(engine, 300);
    await lease.start();
    await eventually("a heartbeat is in flight", () => engine.requests.length >= 1);
    expect(await lease.stop()).toEqual({ unanswered: true });
  });

  it("case R17: a result goes by the first version of the update, once, with its output as it is", async () => {
    const engine = await start(okHandler);
    const source = createAttemptSource(createConductorHttp({ serverUrl: engine.url }));
    const outputJson = '{"result":{"big":12345678901234567890,"text":"größe \\u2028"}}';
    await source.report({ ...held, status: "COMPLETED", outputJson }, 5_000);
    await source.report({ ...held, status: "FAILED", reasonForIncompletion: 'no "way"' }, 5_000);
    expect(engine.requests.map((request) => `${request.method} ${request.url}`)).toEqual([
      "POST /api/tasks",
      "POST /api/tasks",
    ]);
    expect(engine.requests[0]?.body).toContain(`"outputData":${outputJson}`);
    expect(engine.requests[1]?.json).toEqual({
      workflowInstanceId: "wf-1",
      taskId: "task-1",
      workerId: "host-abcdef",
      status: "FAILED",
      reasonForIncompletion: 'no "way"',
    });
  });

  it("case R14: a result for a task that the engine does not know is not worth a second try", async () => {
    const engine = await start(() => undefined);
    const source = createAttemptSource(createConductorHttp({ serverUrl: engine.url }));
    const thrown: unknown = await source.report({ ...held, status: "FAILED" }, 5_000).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(AttemptError);
    expect(thrown).toMatchObject({ code: "result_not_ours" });
  });

  it("rule R4: a report that is not answered ends at its bound as server_unavailable", async () => {
    const engine = await start(() => "hang");
    const source = createAttemptSource(createConductorHttp({ serverUrl: engine.url }));
    const thrown: unknown = await source.report({ ...held, status: "FAILED" }, 200).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: "server_unavailable" });
    expect(engine.requests).toHaveLength(1);
  });
});
