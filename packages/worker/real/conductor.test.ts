import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { createAttemptSource } from "../src/conductor/attempt-source.ts";
import { openConductor, type ConductorClient } from "../src/conductor/client.ts";
import { createConductorHttp } from "../src/conductor/http.ts";
import { createLease } from "../src/conductor/lease.ts";
import { createLeaseServer } from "../src/conductor/lease-server.ts";
import { leaseTimes } from "../src/conductor/lease-times.ts";
import { pollTasks } from "../src/conductor/poll.ts";
import type { ParsedTask } from "../src/conductor/polled-task.ts";
import { getTaskDef, registerTaskDefs } from "../src/conductor/task-defs.ts";
import { startFakeEngine } from "../src/conductor/testing/fake-engine.ts";
import { eventually } from "../src/conductor/testing/eventually.ts";
import { systemClock } from "../src/system-clock.ts";

const serverUrl = process.env["CONDUCTOR_SERVER_URL"];
if (serverUrl === undefined)
  throw new Error("CONDUCTOR_SERVER_URL is not set: run this with the real servers (pnpm test:real)");

const name = `perago.real.${randomUUID().slice(0, 8)}`;
const definition = { name, ownerEmail: "a@example.com", responseTimeoutSeconds: 3, timeoutSeconds: 0, retryCount: 0 };
let http: ConductorClient;

async function startWorkflow(): Promise<string> {
  return (await http.send({ method: "POST", path: `/workflow/${name}`, bodyJson: "{}", timeoutMs: 10_000 })).text;
}

async function pollOne(workerId: string): Promise<ParsedTask> {
  for (let round = 0; round < 20; round += 1) {
    const answer = await pollTasks(http, systemClock, { taskName: name, workerId, count: 1, timeoutMs: 1_000 });
    expect(answer.unreadable).toEqual([]);
    if (answer.tasks[0] !== undefined) return answer.tasks[0];
  }
  throw new Error("no task came within 20 polls");
}

beforeAll(async () => {
  http = await openConductor({ serverUrl }, () => performance.now());
  await registerTaskDefs(http, [definition]);
  const workflow = {
    name,
    version: 1,
    schemaVersion: 2,
    ownerEmail: "a@example.com",
    timeoutSeconds: 0,
    tasks: [{ name, taskReferenceName: "step", type: "SIMPLE", inputParameters: { params: { a: 1 } } }],
  };
  await http.send({
    method: "POST",
    path: "/metadata/workflow",
    bodyJson: JSON.stringify(workflow),
    timeoutMs: 10_000,
  });
});

describe("the real Conductor", () => {
  it("case C13: a registered definition reads back, an unknown one is undefined, and registering again overwrites", async () => {
    expect(await getTaskDef(http, name)).toMatchObject(definition);
    expect(await getTaskDef(http, `${name}.unknown`)).toBeUndefined();
    await registerTaskDefs(http, [{ ...definition, description: "again" }]);
    expect(await getTaskDef(http, name)).toMatchObject({ description: "again" });
  });

  it("case R03, rule A4: heartbeats keep a lease over three response timeouts, the task stays ours and nobody else gets it; then the result is taken", async () => {
    const workflowInstanceId = await startWorkflow();
    const { polled } = await pollOne("host-a");
    expect(polled).toMatchObject({ workflowInstanceId, workerId: "host-a", pollCount: 1, responseTimeoutSeconds: 3 });
    const lost: string[] = [];
    const troubles: unknown[] = [];
    const lease = createLease({
      held: polled,
      pollSentAtMs: polled.pollSentAtMs,
      times: leaseTimes({ responseTimeoutSeconds: polled.responseTimeoutSeconds }),
      server: createLeaseServer(http),
      clock: systemClock,
      events: { onLost: (reason) => lost.push(reason), onTrouble: (error) => troubles.push(error) },
    });
    await lease.start();
    const endMs = systemClock.nowMs() + 9_500;
    while (systemClock.nowMs() < endMs) {
      const other = await pollTasks(http, systemClock, {
        taskName: name,
        workerId: "host-b",
        count: 1,
        timeoutMs: 1_000,
      });
      expect(other.tasks).toEqual([]);
      await http.send({ method: "PUT", path: `/workflow/decide/${workflowInstanceId}`, timeoutMs: 10_000 });
    }
    expect(lost).toEqual([]);
    expect(troubles).toEqual([]);
    expect(lease.deadlineMs()).toBeGreaterThan(systemClock.nowMs());
    expect(await lease.stop()).toEqual({ unanswered: false });

    const source = createAttemptSource(http);
    expect(await source.read(polled.taskId)).toMatchObject({ status: "IN_PROGRESS", workerId: "host-a", pollCount: 1 });
    const outputJson = JSON.stringify({ workspace: { ref: "abc" }, result: { rows: 1 } });
    await source.report(
      { workflowInstanceId, taskId: polled.taskId, workerId: "host-a", status: "COMPLETED", outputJson },
      10_000,
    );
    expect(await source.read(polled.taskId)).toMatchObject({ status: "COMPLETED", outputRef: "abc", hasResult: true });
  });

  it("case R04, case R06: a terminated workflow is told by the read after a heartbeat, and a late result is dropped with a 200", async () => {
    const workflowInstanceId = await startWorkflow();
    const { polled } = await pollOne("host-a");
    const lost: string[] = [];
    const lease = createLease({
      held: polled,
      pollSentAtMs: polled.pollSentAtMs,
      times: leaseTimes({ responseTimeoutSeconds: polled.responseTimeoutSeconds }),
      server: createLeaseServer(http),
      clock: systemClock,
      events: { onLost: (reason) => lost.push(reason), onTrouble() {} },
    });
    await lease.start();
    const terminate = await fetch(`${serverUrl}/workflow/${workflowInstanceId}`, { method: "DELETE" });
    expect(terminate.ok).toBe(true);
    await eventually("the loss is told", () => lost.length === 1, 5_000);
    expect(lost[0]).toContain("not_in_progress: the task is CANCELED");
    await lease.stop();
    const source = createAttemptSource(http);
    await source.report(
      { workflowInstanceId, taskId: polled.taskId, workerId: "host-a", status: "COMPLETED", outputJson: "{}" },
      10_000,
    );
    expect(await source.read(polled.taskId)).toMatchObject({ status: "CANCELED" });
  });

  it("case R05, rule R4: a heartbeat that a proxy delays is answered before the result goes, and the task stays COMPLETED", async () => {
    const workflowInstanceId = await startWorkflow();
    const { polled } = await pollOne("host-a");
    const order: string[] = [];
    const proxy = await startFakeEngine(async (request) => {
      const isBeat = request.body.includes("extendLease");
      if (isBeat) await systemClock.wait(800);
      const body = request.method === "GET" ? {} : { body: request.body };
      const headers = { "content-type": "application/json" };
      const answer = await fetch(`${serverUrl}${request.path}`, { method: request.method, headers, ...body });
      if (request.method === "POST") order.push(isBeat ? "heartbeat" : "result");
      return { status: answer.status, text: await answer.text() };
    });
    try {
      const delayed = createConductorHttp({ serverUrl: proxy.url });
      const lease = createLease({
        held: polled,
        pollSentAtMs: polled.pollSentAtMs,
        times: leaseTimes({ responseTimeoutSeconds: polled.responseTimeoutSeconds }),
        server: createLeaseServer(delayed),
        clock: systemClock,
        events: { onLost() {}, onTrouble() {} },
      });
      await lease.start();
      await eventually("a heartbeat is in flight", () => proxy.requests.length > 0);
      expect(order).toEqual([]);
      expect(await lease.stop()).toEqual({ unanswered: false });
      const source = createAttemptSource(delayed);
      const { taskId, workerId } = polled;
      await source.report({ workflowInstanceId, taskId, workerId, status: "COMPLETED", outputJson: "{}" }, 10_000);
      expect(order).toEqual(["heartbeat", "result"]);
      expect(await source.read(taskId)).toMatchObject({ status: "COMPLETED" });
    } finally {
      await proxy.close();
    }
  });

  it("case R14: an unknown task reads as null, and a result for it is result_not_ours", async () => {
    const source = createAttemptSource(http);
    expect(await source.read(randomUUID())).toBeNull();
    const report = {
      workflowInstanceId: randomUUID(),
      taskId: randomUUID(),
      workerId: "host-a",
      status: "FAILED",
    } as const;
    await expect(source.report(report, 10_000)).rejects.toMatchObject({ code: "result_not_ours" });
  });
});
