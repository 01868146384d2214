import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../system-clock.ts";
import type { TaskDescription } from "../tasks/description.ts";
import { ExecutorChild } from "./executor-child.ts";
import { startProcess } from "./process-carrier.ts";
import { markPids } from "./process-table.ts";
import { mayHaveStarted } from "./processes.ts";
import { endGroup } from "./seal.ts";
import { describeFixture, isRunning, openFolder, openPool, requestFor, runCase, until } from "./testing/harness.ts";

let task: TaskDescription;
beforeAll(async () => {
  task = await describeFixture("bodies.ts", "test.body");
});
const slot = { workerId: "w0001" };
const open = openPool();
afterAll(() => open[Symbol.asyncDispose]());

async function pidOf(
  pool: { acquire: ReturnType<typeof openPool>["pool"]["acquire"] },
  folder: string,
): Promise<number> {
  const executor = await pool.acquire(task, slot);
  const outcome = await runCase(executor, folder, "identity");
  await executor.release();
  return outcome.kind === "returned" ? Number(JSON.parse(outcome.resultJson).value.pid) : Number.NaN;
}

describe("seal", () => {
  test("rule T8: an executor whose body left nothing stays warm and serves the next attempt", async () => {
    await using folder = await openFolder();
    const first = await pidOf(open.pool, folder.path);
    expect(await pidOf(open.pool, folder.path)).toBe(first);
  });

  test.each(["timer", "thread", "openWrite"])(
    "rule T8, fault H5: a body that goes on in its own process is killed with it: %s",
    async (name) => {
      await using folder = await openFolder();
      const before = await pidOf(open.pool, folder.path);
      const executor = await open.pool.acquire(task, slot);
      expect((await runCase(executor, folder.path, name)).kind).toBe("returned");
      await executor.seal();
      expect(await isRunning(before)).toBe(false);
      await executor.release();
      expect(await pidOf(open.pool, folder.path)).not.toBe(before);
    },
  );

  test.each([
    ["shell", "in the executor's process group"],
    ["shellOfShell", "with children of its own (case S05)"],
    ["detachedShell", "out of the group, found by the execution's mark"],
    ["bareShell", "in the group, without any environment"],
  ])("case T07, rule T8: a process that the body left is gone after the seal: %s, %s", async (name) => {
    await using folder = await openFolder();
    const before = await pidOf(open.pool, folder.path);
    const executor = await open.pool.acquire(task, slot);
    expect((await runCase(executor, folder.path, name)).kind).toBe("returned");
    const shell = Number(readFileSync(path.join(folder.path, "shell.pid"), "utf8"));
    expect(await isRunning(shell)).toBe(true);
    await executor.seal();
    expect(await isRunning(shell)).toBe(false);
    await executor.release();
    // The executor itself had nothing left and is kept.
    expect(await pidOf(open.pool, folder.path)).toBe(before);
  });

  test("case S05: what a reader's body starts is ended too, out of its group as well", async () => {
    await using folder = await openFolder();
    const executor = await open.pool.acquire(task, slot);
    await executor.validate({ params: { case: "detachedShell", size: 0 } });
    const { workspace, ...request } = requestFor(folder.path);
    if (workspace === undefined) throw new Error("the request has no workspace");
    await executor.run({ ...request, workspace: { ...workspace, readOnly: true } });
    const shell = Number(readFileSync(path.join(folder.path, "shell.pid"), "utf8"));
    expect(await isRunning(shell)).toBe(true);
    await executor.seal();
    expect(await isRunning(shell)).toBe(false);
    await executor.release();
  });

  test("rule T8: for a body that stages nothing, what was started since is looked at, and an old mark tells nothing", async () => {
    const marks = [`PERAGO_EXECUTION_MARK=test${process.pid}`];
    const before = markPids();
    expect(mayHaveStarted({ marks }, before)).toBe(false);
    const [name = "", value = ""] = (marks[0] ?? "").split("=");
    const child = spawn("sleep", ["60"], { env: { ...process.env, [name]: value }, detached: true, stdio: "ignore" });
    try {
      expect(mayHaveStarted({ marks }, before)).toBe(true);
      expect(mayHaveStarted({ marks: [], groupId: child.pid ?? 0 }, before)).toBe(true);
      expect(mayHaveStarted({ marks: ["PERAGO_EXECUTION_MARK=another"] }, before)).toBe(false);
      // It is older than this mark; that one is too old itself.
      expect(mayHaveStarted({ marks }, markPids())).toBe(false);
      expect(mayHaveStarted({ marks: [] }, before && { ...before, atMs: before.atMs - 2_000 })).toBe(true);
      expect(mayHaveStarted({ marks: [] }, undefined)).toBe(true);
    } finally {
      child.kill("SIGKILL");
    }
  });

  test("rule T8: an executor that was told to end is waited for, though its end is not heard of yet", async () => {
    const options = { clock: systemClock, environment: {}, nodeFlags: [], onNote: () => {}, onLine: () => {} };
    for (let round = 0; round < 5; round += 1) {
      const child = new ExecutorChild(startProcess(options), options);
      child.kill("the test ends it");
      expect(child.isAlive()).toBe(false);
      await endGroup(child, { marks: [] }, systemClock);
      expect(await isRunning(child.pid ?? 0)).toBe(false);
      await child.ended;
    }
  });

  test("release seals what was not sealed", async () => {
    await using folder = await openFolder();
    const executor = await open.pool.acquire(task, slot);
    await runCase(executor, folder.path, "shell");
    await executor.release();
    expect(await isRunning(Number(readFileSync(path.join(folder.path, "shell.pid"), "utf8")))).toBe(false);
  });

  test("release ends a body that still runs", async () => {
    await using folder = await openFolder();
    const executor = await open.pool.acquire(task, slot);
    const running = runCase(executor, folder.path, "hang");
    await until(() => existsSync(path.join(folder.path, "started")));
    await executor.release();
    expect((await running).kind).toBe("lost");
  });

  test("nothing of one execution reaches the next: mark, working folder, exit code", async () => {
    await using folder = await openFolder();
    const executor = await open.pool.acquire(task, slot);
    await runCase(executor, folder.path, "leaveFolder");
    await executor.release();
    const next = await open.pool.acquire(task, slot);
    const outcome = await runCase(next, folder.path, "identity");
    await next.release();
    expect(outcome).toMatchObject({
      kind: "returned",
      resultJson: expect.stringContaining(JSON.stringify(process.cwd())),
    });
  });
});
