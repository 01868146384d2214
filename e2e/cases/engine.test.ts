import { describe, expect, test } from "vitest";
import { createBench } from "../support/bench.ts";
import { getWorkflow, queueSize, removeWorkflow, untilEnded, untilTask } from "../support/conductor.ts";
import { createControl } from "../support/control.ts";
import { startHost } from "../support/host.ts";
import { onlyNth, startProxy } from "../support/proxy.ts";
import { isResult, isUpdate, isWaitingPoll } from "../support/requests.ts";
import { realServers } from "../support/settings.ts";
import { createTestRun } from "../support/test-run.ts";
import { until } from "../support/until.ts";

/** `responseSeconds` of the tasks. */
const LEASE_MS = 3000;
const QUEUED = 4;
const held = [
  { do: "tell", name: "working" },
  { do: "hold", name: "go on" },
] as const;

const bench = await createBench({ tasks: ["free"], label: "engine", tree: { a: "a" } });
const { run, conductor } = bench;

test("case R10, case R14: a result for a workflow that is gone is not sent for ever, and the next one goes the same way", async () => {
  const { control, workflowId, host } = await bench.start("free", undefined, held);
  await control.heard("working");
  const { taskId } = await untilTask(workflowId, ["IN_PROGRESS"]);
  await removeWorkflow(workflowId);
  await control.tell("go on");
  await until("the host gives the result up", async () => {
    const lines = (await host.logText()).split("\n").filter((line) => line.includes(taskId));
    // A heartbeat may have told it first; then the lease ends before the result is tried again.
    return lines.some((line) => /result_(not_ours|undelivered)/.test(line));
  });
  const sent = () => conductor.requests.filter((request) => isResult(request) && request.body.includes(taskId)).length;
  const sentCount = sent();
  expect(sentCount).toBeLessThanOrEqual(1);
  const next = await bench.start("free", undefined, []);
  expect((await untilEnded(next.workflowId)).status).toBe("COMPLETED");
  expect(sent()).toBe(sentCount);
  // One way to report, whatever was answered: no other version of the update, no other address.
  const posts = conductor.requests.filter(({ method }) => method === "POST");
  expect(new Set(posts.map(({ path }) => path))).toEqual(new Set(["/api/tasks"]));
});

describe("case R18: errors of the engine, with its own flag", () => {
  const answers = [400, 500].flatMap((status) => [true, false].map((retryable) => ({ status, retryable })));
  test.for(answers)(
    "case R18: a result that is answered $status, retryable $retryable, is kept and delivered",
    async ({ status, retryable }) => {
      const body = JSON.stringify({ status, message: "not now", instance: "x", retryable });
      conductor.meddle(onlyNth(0, isResult, { kind: "answer", status, body }));
      const { workflowId } = await bench.start("free", undefined, []);
      const ended = await untilEnded(workflowId);
      expect(ended.tasks.map((task) => task.status)).toEqual(["COMPLETED"]);
      expect(conductor.requests.filter(isResult)).toHaveLength(2);
    },
  );

  test("case R18, rule R4: a final 500 is answered with the same result until the lease ends, and never after it", async () => {
    const body = JSON.stringify({ status: 500, message: "never", instance: "x", retryable: false });
    conductor.meddle((request) => (isResult(request) ? { kind: "answer", status: 500, body } : undefined));
    const startMs = performance.now();
    const { workflowId, host } = await bench.start("free", undefined, []);
    const { taskId } = await untilTask(workflowId, ["IN_PROGRESS"]);
    await until("the result is given up", async () => (await host.logText()).includes("result_undelivered"));
    const results = conductor.requests.filter((request) => isResult(request) && request.body.includes(taskId));
    expect(new Set(results.map((request) => request.body)).size).toBe(1);
    // The lease counts from the last heartbeat, or else from the poll that brought the task; one that was open already
    // when this test began was sent before it.
    const before = conductor.requests.slice(0, conductor.requests.findIndex(isResult));
    const sign = before.findLast((request) => isUpdate(request) || request.path.includes("/tasks/poll/"));
    expect((results.at(-1)?.atMs ?? Number.NaN) - (sign?.atMs ?? startMs)).toBeLessThanOrEqual(LEASE_MS);
    conductor.meddle();
    const ended = await untilEnded(workflowId, { decide: true });
    expect(ended.tasks.map((task) => task.status)).toEqual(["TIMED_OUT", "COMPLETED"]);
  });
});

describe("a host that is told to end", () => {
  test("case R11: a task that the open poll brings after SIGTERM is run and reported, once", async () => {
    const own = await createTestRun(["free"]);
    const proxy = await startProxy(realServers().conductorUrl);
    const host = await startHost(own, { conductorUrl: proxy.url });
    const released = Promise.withResolvers<void>();
    let isHeld = false;
    proxy.meddle((request) => {
      if (!isWaitingPoll(request) || isHeld) return undefined;
      isHeld = true;
      return { kind: "delay_request", until: released.promise };
    });
    await until("a poll is open", () => isHeld);
    process.kill(host.pid, "SIGTERM");
    await until("the host says that it drains", async () => (await host.logText()).includes("drains"));
    const control = await createControl(own);
    const workflowId = await own.startTask("free", { params: control.params([]) });
    released.resolve();
    expect((await host.ended).exitCode).toBe(0);
    const { tasks } = await getWorkflow(workflowId);
    expect(tasks.map(({ status, pollCount }) => ({ status, pollCount }))).toEqual([
      { status: "COMPLETED", pollCount: 1 },
    ]);
  });

  test("case R17: a result that is under way brings no further task along: what is queued stays queued, for the next host", async () => {
    const own = await createTestRun(["free"]);
    const proxy = await startProxy(realServers().conductorUrl);
    const host = await startHost(own, { conductorUrl: proxy.url });
    const released = Promise.withResolvers<void>();
    proxy.meddle(onlyNth(0, isResult, { kind: "delay_request", until: released.promise }));
    const control = await createControl(own);
    const first = await own.startTask("free", { params: control.params([]) });
    await until("the result is under way", () => proxy.requests.some(isResult));
    const queued = Array.from({ length: QUEUED }, async () => {
      const { folder } = await createControl(own);
      return own.startTask("free", { params: { control: folder, scripts: [[]] } });
    });
    const workflowIds = await Promise.all(queued);
    process.kill(host.pid, "SIGTERM");
    await until("the host says that it drains", async () => (await host.logText()).includes("drains"));
    released.resolve();
    expect((await host.ended).exitCode).toBe(0);
    expect((await untilEnded(first)).status).toBe("COMPLETED");
    expect(await queueSize(own.name("free"))).toBe(QUEUED);
    expect(proxy.requests.filter(({ path }) => path.includes("update-v2"))).toEqual([]);
    await startHost(own, { args: ["-j", "2"] });
    for (const workflowId of workflowIds) {
      const { tasks } = await untilEnded(workflowId);
      // None was handed to nobody and waited out its response time-out.
      expect(tasks.map(({ status, pollCount }) => ({ status, pollCount }))).toEqual([
        { status: "COMPLETED", pollCount: 1 },
      ]);
    }
  });
});

test("rule R4: after all of that the bench's host still takes work", async () => {
  const { workflowId } = await bench.start("free", undefined, []);
  expect((await untilEnded(workflowId)).status).toBe("COMPLETED");
  expect(await queueSize(run.name("free"))).toBe(0);
});
