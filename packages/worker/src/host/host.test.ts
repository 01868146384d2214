import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createConductorHttp } from "../conductor/http.ts";
import { startFakeEngine, wireTask, type FakeEngine } from "../conductor/testing/fake-engine.ts";
import { eventually } from "../conductor/testing/eventually.ts";
import { systemClock } from "../system-clock.ts";
import { parseSettings } from "../config/settings.ts";
import type { TaskDescription } from "../tasks/description.ts";
import type { Log } from "../telemetry/log.ts";
import { createLocalSite } from "../workspace/attempt-site.ts";
import { startHost, type Host, type HostOptions } from "./host.ts";
import type { AttemptRequest, RunAttempt } from "./task-host.ts";
import { taskDescription } from "./testing/task-description.ts";

let root: string;
let server: FakeEngine;
let hosts: Host[];
/** What the engine has queued, and how long its waiting polls take. */
let queued: Record<string, unknown>[];
let idlePollMs: number;
let taskStatus: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "perago-host-"));
  hosts = [];
  queued = [];
  idlePollMs = 20;
  taskStatus = "IN_PROGRESS";
  server = await startFakeEngine(async (request) => {
    if (request.path.startsWith("/tasks/poll/batch/")) {
      const count = Number(request.query.get("count"));
      if (queued.length === 0 && request.query.get("timeout") !== "0") await systemClock.wait(idlePollMs);
      return { json: queued.splice(0, count) };
    }
    if (request.method === "GET") return { json: wireTask({ taskId: request.path.slice(7), status: taskStatus }) };
    return { text: "ok" };
  });
});

afterEach(async () => {
  for (const host of hosts) {
    host.force();
    await host.ended;
  }
  await server.close();
  await rm(root, { recursive: true, force: true });
});

const task = taskDescription({ name: "features.build" });
const workspaceTask = taskDescription({
  name: "features.build",
  workspace: { prefix: "/", readOnly: false, pre: [], post: [] },
});

interface Line {
  readonly level: string;
  readonly message: string;
}

function recordingLog(lines: Line[]): Log {
  const write = (level: string) => (message: string) => void lines.push({ level, message });
  const log: Log = { debug() {}, info: write("info"), warn: write("warn"), error: write("error"), child: () => log };
  return log;
}

function start(
  runAttempt: RunAttempt,
  changes: Partial<HostOptions> & { readonly variables?: Record<string, string>; readonly jobs?: string } = {},
): { readonly host: Host; readonly lines: Line[] } {
  const lines: Line[] = [];
  const { variables, jobs, ...options } = changes;
  const { settings } = parseSettings({
    variables: {
      PERAGO_WORKSPACE_ROOT: root,
      PERAGO_WORKER_ID_PREFIX: "host-abcdef",
      PERAGO_WORKSPACE_MIN_FREE: "1B",
      ...variables,
    },
    flags: { jobs: jobs ?? "2" },
    needs: { conductor: false, lakefs: false },
    surroundings: { cwd: root },
  });
  const host = startHost({
    tasks: [task],
    settings,
    conductor: createConductorHttp({ serverUrl: server.url }),
    runAttempt,
    isHeld: () => false,
    clock: systemClock,
    log: recordingLog(lines),
    process: { pid: process.pid, startedAtMs: 0 },
    ...options,
  });
  hosts.push(host);
  return { host, lines };
}

/** Attempts that end when the test says so. */
function heldAttempts(): {
  readonly run: RunAttempt;
  readonly requests: AttemptRequest[];
  readonly heard: string[];
  finish(): void;
} {
  const gate = Promise.withResolvers<void>();
  const requests: AttemptRequest[] = [];
  const heard: string[] = [];
  return {
    requests,
    heard,
    finish: gate.resolve,
    async run(request) {
      requests.push(request);
      request.subscribe((signal) => {
        heard.push(`${signal.kind}: ${signal.reason}`);
        gate.resolve();
      });
      await gate.promise;
      return { outcome: "done" };
    },
  };
}

function polls(): string[] {
  return server.requests.filter((request) => request.path.startsWith("/tasks/poll")).map((request) => request.url);
}

describe("host", () => {
  it("runs what polls bring, with slot names of prefix and four digits and one worker id at the engine", async () => {
    queued.push(wireTask({ taskId: "a" }), wireTask({ taskId: "b" }), wireTask({ taskId: "c" }));
    const attempts = heldAttempts();
    start(attempts.run);
    await eventually("two attempts run", () => attempts.requests.length === 2);
    expect(attempts.requests.map(({ polled, slot }) => [polled.taskId, slot.workerId])).toEqual([
      ["a", "host-abcdef0001"],
      ["b", "host-abcdef0002"],
    ]);
    // Both slots are taken: the third task stays in the queue.
    expect(queued).toHaveLength(1);
    attempts.finish();
    await eventually("the third runs", () => attempts.requests.length === 3);
    expect(polls().every((url) => url.includes("workerid=host-abcdef&"))).toBe(true);
  });

  it("a slot that is free early takes the next task while its attempt goes on; so many trail as there are slots", async () => {
    for (let index = 0; index < 9; index += 1) queued.push(wireTask({ taskId: `t${index}` }));
    const attempts = heldAttempts();
    const { host, lines } = start((request) => {
      const ended = attempts.run(request);
      request.onSlotFree();
      request.onSlotFree();
      return ended;
    });
    // Two in the slots, and two that trail behind them.
    await eventually("four attempts go on", () => attempts.requests.length === 4);
    expect(host.runningCount()).toBe(4);
    expect(queued).toHaveLength(5);
    let isEnded = false;
    host.drain();
    void host.ended.then(() => {
      isEnded = true;
    });
    await eventually("the host drains", () => lines.some(({ message }) => message.startsWith("the host drains")));
    // A drain waits for those that trail, too.
    expect(isEnded).toBe(false);
    attempts.finish();
    await host.ended;
    expect(host.runningCount()).toBe(0);
  });

  it("never asks for more than its free slots, also while a lease begins slowly", async () => {
    for (let index = 0; index < 40; index += 1) queued.push(wireTask({ taskId: `t${index}` }));
    let runningCount = 0;
    let mostCount = 0;
    let doneCount = 0;
    const { host } = start(
      async () => {
        runningCount += 1;
        mostCount = Math.max(mostCount, runningCount, host.runningCount());
        await systemClock.wait(2);
        runningCount -= 1;
        doneCount += 1;
        return { outcome: "done" };
      },
      { jobs: "3" },
    );
    await eventually("all are done", () => doneCount === 40);
    expect(mostCount).toBe(3);
  });

  it("case R11: a task that the open poll brings while the host drains is run to its end", async () => {
    idlePollMs = 300;
    const ran: string[] = [];
    const { host } = start(async ({ polled }) => {
      ran.push(polled.taskId);
      return { outcome: "done" };
    });
    await eventually("a waiting poll is open", () => polls().some((url) => url.includes("timeout=1000")));
    host.drain();
    queued.push(wireTask({ taskId: "late" }));
    expect(await host.ended).toEqual({ leftRunningCount: 0 });
    expect(ran).toEqual(["late"]);
    const seen = polls().length;
    await systemClock.wait(30);
    expect(polls()).toHaveLength(seen);
  });

  it("fault H1: an idle host ends within 2 s of the drain, though a poll waits for 1 s", async () => {
    idlePollMs = 1_000;
    const { host } = start(async () => ({ outcome: "done" }));
    await eventually("a waiting poll is open", () => polls().some((url) => url.includes("timeout=1000")));
    const startedAtMs = performance.now();
    host.drain();
    host.drain();
    await host.ended;
    expect(performance.now() - startedAtMs).toBeLessThan(2_000);
  });

  it("fault H1: a drain waits for what runs, with its lease kept", async () => {
    queued.push(wireTask({ taskId: "a", responseTimeoutSeconds: 1 }));
    const attempts = heldAttempts();
    const { host } = start(attempts.run);
    await eventually("an attempt runs", () => attempts.requests.length === 1);
    host.drain();
    const before = server.requests.length;
    await eventually(
      "three heartbeats",
      () => server.requests.slice(before).filter((each) => each.method === "POST").length >= 3,
    );
    expect(attempts.heard).toEqual([]);
    attempts.finish();
    expect(await host.ended).toEqual({ leftRunningCount: 0 });
  });

  it("fault H1: PERAGO_SHUTDOWN_FORCE_KILL_AFTER tells the attempts to shut down, and so does force", async () => {
    queued.push(wireTask({ taskId: "a" }));
    const first = heldAttempts();
    const { host } = start(first.run, { variables: { PERAGO_SHUTDOWN_FORCE_KILL_AFTER: "1s" } });
    await eventually("an attempt runs", () => first.requests.length === 1);
    host.drain();
    await host.ended;
    expect(first.heard).toEqual(["shutdown: the time for the shutdown is over"]);

    queued.push(wireTask({ taskId: "b" }));
    const second = heldAttempts();
    const other = start(second.run).host;
    await eventually("an attempt runs", () => second.requests.length === 1);
    other.force();
    other.force();
    await other.ended;
    expect(second.heard).toEqual(["shutdown: the host was told to end at once"]);
  });

  it("fault H2: a forced end does not wait for ever for an attempt that does not end", async () => {
    queued.push(wireTask({ taskId: "a" }));
    const publishBudget = {
      observedMergeP99Seconds: 0,
      safetyMarginSeconds: 0,
      lakefsMergeTimeoutSeconds: 1,
      conductorCompletionTimeoutSeconds: 1,
      workerShutdownGraceSeconds: 1,
      heartbeatIntervalSeconds: 1,
    };
    const never = Promise.withResolvers<{ outcome: string }>();
    const { host } = start(() => never.promise, { tasks: [{ ...task, publishBudget }] });
    await eventually("an attempt runs", () => host.runningCount() === 1);
    host.force();
    expect(await host.ended).toEqual({ leftRunningCount: 1 });
    never.resolve({ outcome: "late" });
  });

  it("rule A4: an attempt that is no longer current hears it", async () => {
    queued.push(wireTask({ taskId: "a", responseTimeoutSeconds: 1 }));
    taskStatus = "CANCELED";
    const attempts = heldAttempts();
    start(attempts.run);
    await eventually("the loss is heard", () => attempts.heard.length === 1);
    expect(attempts.heard[0]).toBe("attempt_lost: not_in_progress: the task is CANCELED");
  });

  it("case C06: the polled task's timeouts reach the attempt, and a difference is told once", async () => {
    const taskDefinition = { timeoutSeconds: 77 };
    queued.push(...["a", "b", "c"].map((taskId) => wireTask({ taskId, responseTimeoutSeconds: 20, taskDefinition })));
    const seen: TaskDescription[] = [];
    const { lines } = start(async (request) => {
      seen.push(request.task);
      return { outcome: "done" };
    });
    await eventually("three attempts ran", () => seen.length === 3);
    expect(seen[0]).toMatchObject({ timeoutSeconds: 77, responseSeconds: 20 });
    expect(lines.filter((line) => line.message.includes("Conductor's count"))).toHaveLength(1);
  });

  it("an engine that brings more than was asked for loses nothing: the rest waits for a slot with its lease kept", async () => {
    const greedy = await startFakeEngine((request) => {
      if (request.path.startsWith("/tasks/poll")) return { json: queued.splice(0) };
      return request.method === "GET" ? { json: wireTask() } : { text: "ok" };
    });
    try {
      queued.push(...["a", "b", "c"].map((taskId) => wireTask({ taskId })));
      const ran: string[] = [];
      const conductor = createConductorHttp({ serverUrl: greedy.url });
      const { host } = start(async ({ polled }) => (ran.push(polled.taskId), { outcome: "done" }), {
        jobs: "1",
        conductor,
      });
      await eventually("all ran", () => ran.length === 3);
      host.drain();
      await host.ended;
    } finally {
      await greedy.close();
    }
  });

  it("case T08: no task is polled while the workspace disk is below the floor, and it goes on when there is room", async () => {
    let freeBytes = 10;
    queued.push(wireTask({ taskId: "a" }));
    const ran: string[] = [];
    const clock = { nowMs: systemClock.nowMs, wait: (_: number, signal?: AbortSignal) => systemClock.wait(5, signal) };
    const { lines } = start(async ({ polled }) => (ran.push(polled.taskId), { outcome: "done" }), {
      tasks: [workspaceTask],
      variables: { PERAGO_WORKSPACE_MIN_FREE: "1MB" },
      readDiskSpace: async () => ({ freeBytes }),
      clock,
    });
    await eventually("the reason is told", () => lines.some((line) => line.message.includes("less than 1 MB")));
    expect(polls()).toEqual([]);
    expect(lines.filter((line) => line.message.includes("less than 1 MB"))).toHaveLength(1);
    freeBytes = 2 ** 30;
    await eventually("it runs", () => ran.length === 1);
  });

  it("does not poll for a slot that is not ready, so that no task is taken for an executor that cannot start", async () => {
    const gate = Promise.withResolvers<void>();
    const { host } = start(async () => ({ outcome: "done" }), { ready: () => gate.promise });
    await systemClock.wait(50);
    expect(polls()).toEqual([]);
    gate.resolve();
    await eventually("it polls", () => polls().length > 0);
    host.drain();
    await host.ended;
  });

  it("fault H3, rule X3: holds the root's lock while it runs, sweeps the root at the start, and leaves nothing", async () => {
    const site = createLocalSite(
      root,
      { workerId: "dead-xyzxyz0001", executionId: "e1", taskId: "t" },
      { pid: 1, startedAtMs: 0, nowMs: () => 0 },
    );
    await site.prepare();
    const { host } = start(async () => ({ outcome: "done" }), { tasks: [workspaceTask] });
    for (const tasks of [[workspaceTask], [task]]) {
      expect(() => start(async () => ({ outcome: "done" }), { tasks })).toThrow(
        "another host uses this workspace root",
      );
    }
    await eventually("it polls", () => polls().length > 0);
    await eventually("the folder of the dead host is gone", () => !existsSync(join(root, "dead-xyzxyz0001")));
    host.drain();
    await host.ended;
    expect(await readdir(root)).toEqual([".perago-host.lock"]);
  });

  it("case A10: an engine that is down gives few lines, and one when it is back", async () => {
    const { port } = server;
    await server.close();
    let nowMs = 0;
    const clock = {
      nowMs: () => nowMs,
      async wait(delayMs: number, signal?: AbortSignal) {
        // Five loops wait side by side; the sweep's hour passes later.
        if (delayMs <= 15_000) nowMs += delayMs / 5;
        await systemClock.wait(delayMs <= 15_000 ? 1 : delayMs, signal);
      },
    };
    const tasks = Array.from({ length: 5 }, (_, index) => taskDescription({ name: `task.${index}` }));
    const { host, lines } = start(async () => ({ outcome: "done" }), { tasks, clock });
    await eventually("two minutes have passed", () => nowMs > 125_000, 15_000);
    const warnings = lines.filter((line) => line.level === "warn");
    expect(warnings.length).toBeGreaterThanOrEqual(2);
    expect(warnings.length).toBeLessThan(6);
    expect(warnings[0]?.message).toContain("cannot be reached");

    server = await startFakeEngine(() => ({ json: [] }), port);
    const back = (): number => lines.filter((line) => line.message === "Conductor answers again").length;
    await eventually("the end is told", () => back() === 1);
    const polledCount = polls().length;
    await eventually("all poll on", () => polls().length > polledCount + 20);
    expect(back()).toBe(1);
    host.drain();
    await host.ended;
  });
});
