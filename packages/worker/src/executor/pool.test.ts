import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Log } from "../telemetry/log.ts";
import { createCounters } from "../telemetry/counters.ts";
import { HOST_MARK } from "./environment.ts";
import { DRAIN_TIMEOUT_MS } from "./limits.ts";
import type { MetricNote, ProgressNote } from "./messages.ts";
import { endStrays } from "./processes.ts";
import {
  describeFixture,
  fixture,
  isRunning,
  openFolder,
  openPool,
  realClock,
  requestFor,
  runCase,
  until,
} from "./testing/harness.ts";

const slot = { workerId: "w0001" };

interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

function recordingLog(lines: Line[], bindings: Readonly<Record<string, unknown>> = {}): Log {
  const at = (level: string) => (message: string, fields?: Readonly<Record<string, unknown>>) => {
    lines.push({ level, message, fields: { ...bindings, ...fields } });
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => recordingLog(lines, { ...bindings, ...fields }),
  };
}

const SHORTEST_BACKOFF_MS = 900;
const START_TIMEOUT_MS = 20_000;

/** A clock that skips the waits of the backoff and writes them down; all others take their time. */
function skippingClock(skippedMs: number[]): typeof realClock {
  let aheadMs = 0;
  return {
    nowMs: () => realClock.nowMs() + aheadMs,
    wait: async (delayMs, signal) => {
      const isOther = delayMs < SHORTEST_BACKOFF_MS || delayMs === DRAIN_TIMEOUT_MS || delayMs === START_TIMEOUT_MS;
      if (isOther) return realClock.wait(delayMs, signal);
      skippedMs.push(Math.ceil(delayMs / 100) * 100);
      aheadMs += delayMs;
    },
  };
}

describe("an executor that cannot start", () => {
  test.each([
    ["throws.ts", "test.throws", "Error: no such library"],
    ["aborts.ts", "test.aborts", "SIGABRT"],
  ])(
    "case S03: it is told with the child's first error, and started again with backoff: %s",
    async (file, name, why) => {
      const lines: Line[] = [];
      await using open = openPool({ log: recordingLog(lines) });
      const task = await describeFixture(file, name);
      await expect(open.pool.acquire(task, slot)).rejects.toMatchObject({
        code: "executor_lost",
        message: expect.stringContaining(why),
      });
      expect(open.pool.health(slot)).toMatchObject({
        kind: "crash_looping",
        crashCount: 1,
        firstError: expect.stringContaining(why),
      });
      expect(lines).toContainEqual({
        level: "error",
        message: "the executor cannot start",
        fields: expect.objectContaining({ task: name, workerId: "w0001", error: expect.stringContaining(why) }),
      });
    },
  );

  test("case S03: an import that does not end is cut off", async () => {
    await using open = openPool({ startTimeoutMs: 1_500 });
    const task = await describeFixture("endless.ts", "test.endless");
    await expect(open.pool.acquire(task, slot)).rejects.toMatchObject({
      message: expect.stringContaining("the import did not end within 1500 ms"),
    });
  });

  test("case S03: warm keeps trying after 1, 2, 4, 8, 16, 30 and 30 s, and ends when it is told to", async () => {
    const skippedMs: number[] = [];
    const lines: Line[] = [];
    const stop = new AbortController();
    const options = { clock: skippingClock(skippedMs), log: recordingLog(lines), startTimeoutMs: START_TIMEOUT_MS };
    await using open = openPool(options);
    const warming = open.pool.warm(await describeFixture("throws.ts", "test.throws"), slot, stop.signal);
    // Seven processes are started one after the other.
    await until(() => skippedMs.length >= 7, 60_000);
    stop.abort();
    await warming;
    expect(skippedMs.slice(0, 7)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(lines.filter(({ message }) => message === "the executor cannot start").length).toBeGreaterThanOrEqual(7);
  }, 90_000);
});

describe("the pool", () => {
  test("fault H1: an executor that is still starting when the host stops is no failure and logs none", async () => {
    const lines: Line[] = [];
    const open = openPool({ log: recordingLog(lines) });
    const acquired = open.pool.acquire(await describeFixture("endless.ts", "test.endless"), slot);
    await Promise.all([
      expect(acquired).rejects.toMatchObject({ message: expect.stringContaining("stopping") }),
      open.pool.close(),
    ]);
    expect(lines.filter(({ level }) => level === "error")).toEqual([]);
  });

  test("a process serves its slot until it has served enough, then a fresh one takes its place", async () => {
    await using folder = await openFolder();
    await using open = openPool({ maxExecutions: 2 });
    const task = await describeFixture("bodies.ts", "test.body");
    const pids: string[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const executor = await open.pool.acquire(task, slot);
      await runCase(executor, folder.path, "ok");
      await executor.seal();
      await executor.release();
      pids.push(readFileSync(path.join(folder.path, "started"), "utf8"));
    }
    expect(pids[1]).toBe(pids[0]);
    expect(pids[2]).not.toBe(pids[0]);
    await until(async () => !(await isRunning(Number(pids[0]))));
  });

  test("a process that holds too much memory is replaced", async () => {
    await using folder = await openFolder();
    await using open = openPool({ maxRssBytes: 1024 * 1024 });
    const task = await describeFixture("bodies.ts", "test.body");
    const executor = await open.pool.acquire(task, slot);
    await runCase(executor, folder.path, "ok");
    await executor.seal();
    await executor.release();
    await until(async () => !(await isRunning(Number(readFileSync(path.join(folder.path, "started"), "utf8")))));
  });

  test("two slots have two processes, and one slot is held once", async () => {
    await using open = openPool();
    const task = await describeFixture("bodies.ts", "test.body");
    const [first, second] = await Promise.all([
      open.pool.acquire(task, slot),
      open.pool.acquire(task, { workerId: "w0002" }),
    ]);
    expect(open.pool.health(slot)).toEqual({ kind: "busy" });
    await expect(open.pool.acquire(task, slot)).rejects.toThrow("held already");
    await Promise.all([first.release(), second.release()]);
    expect(open.pool.health(slot)).toEqual({ kind: "ready" });
  });

  test("user code sees no setting of the servers, of ours, nor what is called secret; and no channel", async () => {
    await using folder = await openFolder();
    const environment = {
      ...process.env,
      CONDUCTOR_AUTH_KEY: "a",
      LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY: "b",
      PERAGO_LOG_ROOT: "c",
      NODE_OPTIONS: "--no-warnings",
      MY_TOKEN: "d",
      KEPT: "e",
    };
    await using open = openPool({ environment, secretNames: ["MY_TOKEN"] });
    const executor = await open.pool.acquire(await describeFixture("bodies.ts", "test.body"), slot);
    const outcome = await runCase(executor, folder.path, "environment");
    if (outcome.kind !== "returned") throw new Error(outcome.kind);
    const names = Object.keys(JSON.parse(outcome.resultJson).value);
    expect(names).toContain("KEPT");
    expect(names.filter((name) => /^(CONDUCTOR_|LAKECTL_|NODE_OPTIONS|MY_TOKEN)/.test(name))).toEqual([]);
    expect(names.filter((name) => name.startsWith("PERAGO_")).toSorted()).toEqual(["PERAGO_EXECUTION_MARK", HOST_MARK]);
    await executor.release();
    const next = await open.pool.acquire(await describeFixture("bodies.ts", "test.body"), slot);
    expect(await runCase(next, folder.path, "send")).toMatchObject({ resultJson: '{"value":"undefined"}' });
    await next.release();
  });

  test("fault J7: a module that replaces globals changes neither the result that is reported nor the host", async () => {
    const lines: Line[] = [];
    await using open = openPool({ bodyLog: () => recordingLog(lines) });
    const patching = await describeFixture("patches.ts", "test.patching");
    const executor = await open.pool.acquire(patching, slot);
    expect(await executor.validate({ params: {} })).toEqual({ ok: true });
    const { workspace: _none, ...request } = requestFor("/nowhere");
    const expected = { kind: "returned", resultJson: '{"value":"honest"}', sizeBytes: 18 };
    expect(await executor.run(request)).toEqual(expected);
    await executor.seal();
    await executor.release();
    expect(lines.map(({ message }) => message)).toEqual(["the body runs"]);
    // A body's line says whose it is.
    const { executionId, attempt } = request;
    expect(lines[0]?.fields).toMatchObject({ executionId, taskId: attempt.taskId, task: attempt.taskDefName });
    expect(JSON.stringify(lines)).toContain('"with":"fields"');
  });

  test("log, metrics and progress of a body arrive, apart from the host's own fields", async () => {
    await using folder = await openFolder();
    const lines: Line[] = [];
    const metrics: MetricNote[] = [];
    const progress: ProgressNote[] = [];
    await using open = openPool({
      bodyLog: () => recordingLog(lines),
      onMetric: (_workerId, metric) => metrics.push(metric),
      onProgress: (_workerId, note) => progress.push(note),
    });
    const executor = await open.pool.acquire(await describeFixture("bodies.ts", "test.body"), slot);
    await runCase(executor, folder.path, "services");
    await executor.release();
    const fields = { fields: { token: "s3cr3t-key", big: "10" } };
    const line = { level: "info", message: "hello\nworld", fields: expect.objectContaining(fields) };
    expect(lines).toContainEqual(line);
    expect(metrics).toEqual([
      { type: "metric", kind: "counter", name: "songs_total", value: 2, labels: { kind: "wav" } },
    ]);
    expect(progress).toEqual([{ type: "progress", percent: 50, message: "half" }]);
  });

  test.each(["logFlood", "flood"])(
    "a body that floods its log loses lines, counted, and nothing else: %s",
    async (name) => {
      await using folder = await openFolder();
      const lines: Line[] = [];
      const counters = createCounters();
      await using open = openPool({ bodyLog: () => recordingLog(lines), counters });
      const executor = await open.pool.acquire(await describeFixture("bodies.ts", "test.body"), slot);
      expect((await runCase(executor, folder.path, name)).kind).toBe("returned");
      await executor.seal();
      await executor.release();
      expect(lines.length).toBeGreaterThan(100);
      expect(lines.length).toBeLessThan(5_000);
    },
  );
});

describe("a host that is killed hard", () => {
  async function startHost(
    folder: string,
    name: string,
    hostMark: string,
  ): Promise<{ host: number; executor: number }> {
    const flags = ["--conditions=perago-source", fixture("host.ts"), folder, name, hostMark];
    const host = spawn(process.execPath, flags, { stdio: "ignore" });
    const started = path.join(folder, "started");
    await until(() => existsSync(started) && readFileSync(started, "utf8") !== "");
    return { host: host.pid ?? 0, executor: Number(readFileSync(started, "utf8")) };
  }

  test("fault A8, case S06: the executor and what it started end by themselves when the channel closes", async () => {
    await using folder = await openFolder();
    const { host, executor } = await startHost(folder.path, "shellThenHang", "test-s06");
    const pidFile = path.join(folder.path, "shell.pid");
    await until(() => existsSync(pidFile) && readFileSync(pidFile, "utf8") !== "");
    process.kill(host, "SIGKILL");
    await until(async () => !(await isRunning(executor)));
    await until(async () => !(await isRunning(Number(readFileSync(pidFile, "utf8")))));
  });

  test("fault A8, case S06: an executor that is blocked outlives it; the next host finds it by its mark and ends it", async () => {
    await using folder = await openFolder();
    const mark = `test-stray-${process.pid}`;
    const { host, executor } = await startHost(folder.path, "spin", mark);
    process.kill(host, "SIGKILL");
    await until(async () => !(await isRunning(host)));
    expect(await isRunning(executor)).toBe(true);
    expect(await endStrays("another-host", realClock)).toEqual([]);
    expect(await isRunning(executor)).toBe(true);
    expect(await endStrays(mark, realClock)).toEqual([]);
    expect(await isRunning(executor)).toBe(false);
  });
});
