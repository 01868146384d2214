import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeModules } from "../tasks/describe-modules.ts";
import type { TaskDescription } from "../tasks/description.ts";
import { openModules, taskModule } from "../tasks/testing/modules.ts";
import {
  describeFixture,
  openFolder,
  openPool,
  realClock,
  runCase,
  isRunning,
  requestFor,
  until,
} from "./testing/harness.ts";

let task: TaskDescription;
beforeAll(async () => {
  task = await describeFixture("bodies.ts", "test.body");
});
const slot = { workerId: "w0001" };

const secret = "s3cr3t-key";
let open: ReturnType<typeof openPool>;
beforeAll(() => {
  open = openPool({ secrets: [secret] });
});
afterAll(() => open[Symbol.asyncDispose]());

/** Runs one case in a slot of its own kind: those that die have a backoff, which must not delay the others. */
async function outcomeOf(name: string, options: { size?: number; slot?: string } = {}) {
  await using folder = await openFolder();
  const executor = await open.pool.acquire(task, { workerId: options.slot ?? slot.workerId });
  const outcome = await runCase(executor, folder.path, name, options.size);
  await executor.seal();
  await executor.release();
  return outcome;
}

describe("a body's outcome", () => {
  test("a returned object is the result, as JSON text with its size", async () => {
    expect(await outcomeOf("ok")).toEqual({ kind: "returned", resultJson: '{"value":1}', sizeBytes: 11 });
  });

  test("rule I3: params that the schema refuses are told before anything runs", async () => {
    const executor = await open.pool.acquire(task, slot);
    const refused = await executor.validate({ params: { case: 3 } });
    expect(refused).toMatchObject({ ok: false });
    expect(JSON.stringify(refused)).toContain("params.case");
    expect(await executor.validate({ params: { case: "ok" } })).toEqual({ ok: true });
    await executor.release();
  });

  test("rule I3: a run with input validates it first: the body runs with it, or not at all", async () => {
    await using folder = await openFolder();
    const executor = await open.pool.acquire(task, slot);
    const request = requestFor(folder.path);
    const refused = await executor.run({ ...request, inputData: { params: { case: 3 } } });
    expect(refused).toMatchObject({ kind: "input_invalid", message: expect.stringContaining("params.case") });
    expect(existsSync(path.join(folder.path, "started"))).toBe(false);
    const outcome = await executor.run({ ...request, inputData: { params: { case: "ok" } } });
    expect(outcome).toMatchObject({ kind: "returned", resultJson: '{"value":1}' });
    await executor.release();
  });

  test("TaskFailed is failed, TaskTerminalError is terminal, any other throw is failed with its name", async () => {
    expect(await outcomeOf("failed")).toEqual({ kind: "failed", message: "the song is silent" });
    expect(await outcomeOf("terminal")).toEqual({ kind: "terminal", message: "no such feature set" });
    expect(await outcomeOf("thrownText")).toEqual({ kind: "failed", message: "thrown: just text" });
  });

  test("case P03: a terminal error of a second copy of the package is terminal", async () => {
    await using folder = await openModules({ isInstalled: true });
    const copied = path.join(folder.path, "node_modules/@perago/taskdef/src/failure.ts");
    await folder.write("copy/failure.ts", readFileSync(copied, "utf8"));
    const body = taskModule("a.b").replace(
      "run: ({ params }) => ({ rows: params.rows })",
      "run: () => { throw foreign; }",
    );
    await folder.write(
      "task.ts",
      `import { TaskTerminalError as Own } from "@perago/taskdef";
       import { TaskTerminalError } from "./copy/failure.ts";
       const foreign = new TaskTerminalError("from another copy");
       if (foreign instanceof Own) throw new Error("it is the same copy");
       ${body}`,
    );
    const described = await describeModules(["task.ts"], { clock: realClock, environment: {}, folder: folder.path });
    const [foreignTask] = described.tasks;
    if (foreignTask === undefined) throw new Error(JSON.stringify(described.findings));
    const executor = await open.pool.acquire(foreignTask, { workerId: "foreign" });
    expect(await executor.validate({ params: { rows: 1 } })).toEqual({ ok: true });
    const { attempt, executionId } = requestFor(folder.path);
    expect(await executor.run({ attempt, executionId })).toEqual({ kind: "terminal", message: "from another copy" });
    await executor.release();
  });

  test("rule R3: an error shows neither secrets nor paths of the host, and the workspace as relative", async () => {
    const outcome = await outcomeOf("leakyError");
    expect(outcome).toEqual({
      kind: "failed",
      message: "TypeError: cannot read raw/a.wav with [redacted] beside .../node for /audio/render",
    });
  });

  test.each(["array", "text", "nothing", "nil", "classInstance", "buffer", "map", "cyclic", "bigint"])(
    "case J05: a result that is no plain JSON object is refused before anything is staged: %s",
    async (name) => {
      expect((await outcomeOf(name)).kind).toBe("output_invalid");
    },
  );

  test.each(["nan", "infinity", "date"])(
    "case J07: JSON has no such value and the result is refused: %s",
    async (name) => {
      const outcome = await outcomeOf(name);
      expect(outcome).toMatchObject({ kind: "output_invalid" });
      expect(JSON.stringify(outcome)).toContain("result.value");
    },
  );

  test("case J07: undefined fields are dropped and -0 is 0", async () => {
    expect(await outcomeOf("undefinedField")).toMatchObject({ resultJson: '{"value":{"kept":1,"zero":0}}' });
  });

  test("rule I3: a field that the output schema does not know is refused with its path", async () => {
    const outcome = await outcomeOf("unknownField");
    expect(outcome.kind).toBe("output_invalid");
    expect(JSON.stringify(outcome)).toContain("result.another");
  });

  test("rule I3: a result above the limit is measured and refused; one below it arrives whole", async () => {
    const large = await outcomeOf("big", { size: 8_000_000 });
    expect(large).toEqual({ kind: "output_too_large", sizeBytes: 8_000_012, limitBytes: 3_000_000 });
    expect(await outcomeOf("big", { size: 2_900_000 })).toMatchObject({ kind: "returned", sizeBytes: 2_900_012 });
  });
});

describe("a body that ends its process", () => {
  test("rule R5: exit code 0 without a result is lost", async () => {
    expect(await outcomeOf("exit0", { slot: "exit0" })).toMatchObject({
      kind: "lost",
      message: expect.stringContaining("exited with code 0"),
    });
  });

  test.each([100_000, 1_000_000, 8_000_000])(
    "case S01: process.exit right after a result of %i bytes loses it or not, and never counts as success without it",
    async (size) => {
      const outcome = await outcomeOf("bigThenExit", { size, slot: `exit-${size}` });
      if (outcome.kind === "returned") expect(outcome.sizeBytes).toBe(size + 12);
      else expect(["lost", "output_too_large"]).toContain(outcome.kind);
    },
  );

  test.each([
    ["exit3", "exited with code 3"],
    ["abort", "SIGABRT"],
    ["throwInTimer", "uncaught exception: RangeError: thrown in a timer"],
    ["throwLongInTimer", "uncaught exception: RangeError: long xxx"],
    ["rejection", "unhandled rejection: Error: nobody awaits me"],
    ["overflowInTimer", "Maximum call stack size exceeded"],
    ["disconnect", "SIGKILL"],
  ])("fault H4: the host lives and hears why the executor is lost: %s", async (name, why) => {
    expect(await outcomeOf(name, { slot: name })).toMatchObject({
      kind: "lost",
      message: expect.stringContaining(why),
    });
  });

  test("fault H4: a body that runs out of memory is lost with that reason", async () => {
    await using folder = await openFolder();
    await using small = openPool({ nodeFlags: ["--max-old-space-size=48"] });
    const executor = await small.pool.acquire(task, slot);
    const outcome = await runCase(executor, folder.path, "outOfMemory");
    await executor.release();
    expect(outcome).toMatchObject({ kind: "lost", message: expect.stringContaining("out of memory") });
  });

  test("fault H4: the next attempt gets a fresh executor after the backoff", async () => {
    await using folder = await openFolder();
    await using open = openPool();
    const first = await open.pool.acquire(task, slot);
    expect((await runCase(first, folder.path, "exit0")).kind).toBe("lost");
    await first.release();
    expect(open.pool.health(slot)).toMatchObject({ kind: "crash_looping", crashCount: 1 });
    const second = await open.pool.acquire(task, slot);
    expect((await runCase(second, folder.path, "ok")).kind).toBe("returned");
    await second.release();
    expect(open.pool.health(slot)).toEqual({ kind: "ready" });
  });

  test("a params schema that never ends is cut off, and validate throws executor_lost", async () => {
    const slow = await describeFixture("bodies.ts", "test.slow-schema");
    // Waits of half a minute last a tenth of a second.
    const clock = {
      ...realClock,
      wait: (ms: number, signal?: AbortSignal) => realClock.wait(ms === 30_000 ? 100 : ms, signal),
    };
    await using open = openPool({ clock, startTimeoutMs: 20_000 });
    const executor = await open.pool.acquire(slow, slot);
    await expect(executor.validate({ params: { spin: true } })).rejects.toMatchObject({ code: "executor_lost" });
    await executor.release();
    const next = await open.pool.acquire(slow, slot);
    const { workspace: _none, ...request } = requestFor("/nowhere");
    expect(await next.run({ ...request, inputData: { params: { spin: true } } })).toMatchObject({
      kind: "lost",
      message: expect.stringContaining("its params schema took too long"),
    });
    await next.release();
    // Our own kill is no crash: there is no backoff.
    expect(open.pool.health(slot)).toEqual({ kind: "ready" });
  });

  test("the time of a params schema is over when the body begins", async () => {
    await using folder = await openFolder();
    const clock = {
      ...realClock,
      wait: (ms: number, signal?: AbortSignal) => realClock.wait(ms === 30_000 ? 500 : ms, signal),
    };
    await using open = openPool({ clock, startTimeoutMs: 20_000 });
    const executor = await open.pool.acquire(task, slot);
    const running = executor.run({ ...requestFor(folder.path), inputData: { params: { case: "spin" } } });
    await until(() => existsSync(path.join(folder.path, "started")));
    const ended = running.then(({ kind }) => kind);
    expect(await Promise.race([ended, realClock.wait(1_000).then(() => "still runs")])).toBe("still runs");
    executor.cancel("the test is over", 0);
    expect(await ended).toBe("lost");
    await executor.release();
  });
});

describe("cancel", () => {
  test("rule A5: the signal fires with the reason, and a body that heeds it ends in its own words", async () => {
    await using folder = await openFolder();
    const executor = await open.pool.acquire(task, slot);
    const running = runCase(executor, folder.path, "waitForSignal");
    await until(() => existsSync(path.join(folder.path, "started")));
    executor.cancel("the attempt is no longer current", 20_000);
    expect(await running).toEqual({ kind: "failed", message: "stopped: Error: the attempt is no longer current" });
    await executor.seal();
    await executor.release();
  });

  test.each(["spin", "hang"])("rule A5: a body that does not heed it is killed after the grace: %s", async (name) => {
    await using folder = await openFolder();
    const executor = await open.pool.acquire(task, slot);
    const running = runCase(executor, folder.path, name);
    await until(() => existsSync(path.join(folder.path, "started")));
    executor.cancel("timeoutSeconds are over", 50);
    expect(await running).toEqual({ kind: "lost", message: "the executor was killed: timeoutSeconds are over" });
    await executor.seal();
    await executor.release();
    // Our own kill is no crash: there is no backoff.
    expect(open.pool.health(slot)).toEqual({ kind: "ready" });
  });

  test("case S05: the children of a killed body are gone after the seal", async () => {
    await using folder = await openFolder();
    const executor = await open.pool.acquire(task, slot);
    const running = runCase(executor, folder.path, "shellThenHang");
    const pidFile = path.join(folder.path, "shell.pid");
    await until(() => existsSync(pidFile) && readFileSync(pidFile, "utf8") !== "");
    executor.cancel("timeoutSeconds are over", 0);
    expect((await running).kind).toBe("lost");
    await executor.seal();
    expect(await isRunning(Number(readFileSync(pidFile, "utf8")))).toBe(false);
    await executor.release();
  });

  test("a cancel while the input is validated stops the body before it starts", async () => {
    const { workspace: _none, ...request } = requestFor("/nowhere");
    const late = await describeFixture("bodies.ts", "test.late-schema");
    const executor = await open.pool.acquire(late, { workerId: "late-schema" });
    const running = executor.run({ ...request, inputData: { params: { name: "x" } } });
    executor.cancel("shutdown", 20_000);
    const outcome = await running;
    expect(outcome).toMatchObject({ kind: "failed", message: expect.stringContaining("before the body started") });
    await executor.release();
  });

  test("a run after the cancel does not start", async () => {
    await using folder = await openFolder();
    const executor = await open.pool.acquire(task, slot);
    await executor.validate({ params: { case: "ok" } });
    executor.cancel("shutdown", 0);
    expect(await executor.run(requestFor(folder.path))).toMatchObject({ kind: "lost" });
    await executor.release();
  });
});
