import { existsSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TaskDescription } from "../tasks/description.ts";
import { HOST_MARK } from "./environment.ts";
import { describeFixture, openFolder, openPool, runCase, until } from "./testing/harness.ts";

// The bodies of the processes' tests, carried by threads of this process: what they do must not end it.
let task: TaskDescription;
let open: ReturnType<typeof openPool>;
beforeAll(async () => {
  task = await describeFixture("bodies.ts", "test.body");
  open = openPool({ mode: "thread", maxRssBytes: 64 * 1024 * 1024 });
});
afterAll(() => open[Symbol.asyncDispose]());

async function outcomeOf(name: string, workerId = name) {
  await using folder = await openFolder();
  const executor = await open.pool.acquire(task, { workerId });
  const outcome = await runCase(executor, folder.path, name);
  await executor.seal();
  await executor.release();
  return outcome;
}

describe("PERAGO_EXECUTION_MODE=thread", () => {
  test("a result, a failure and a terminal failure arrive as from a process, and the thread stays warm", async () => {
    expect(await outcomeOf("ok", "warm")).toEqual({ kind: "returned", resultJson: '{"value":1}', sizeBytes: 11 });
    expect(await outcomeOf("failed", "warm")).toEqual({ kind: "failed", message: "the song is silent" });
    expect(await outcomeOf("terminal", "warm")).toEqual({ kind: "terminal", message: "no such feature set" });
    const identity = await outcomeOf("identity", "warm");
    expect(identity).toMatchObject({ resultJson: expect.stringContaining(`"pid":${process.pid}`) });
  });

  test.each([
    ["exit0", "exited with code 0 and without a result"],
    ["exit3", "exited with code 3"],
    ["throwInTimer", "uncaught exception: RangeError: thrown in a timer"],
    ["rejection", "unhandled rejection: Error: nobody awaits me"],
    ["overflowInTimer", "Maximum call stack size exceeded"],
    ["outOfMemory", "out of memory"],
  ])("fault H4, rule R5: the host lives and hears why the executor is lost: %s", async (name, why) => {
    expect(await outcomeOf(name)).toMatchObject({ kind: "lost", message: expect.stringContaining(why) });
  });

  test.each(["spin", "hang"])(
    "rule A4: a body that does not heed the signal is ended after the grace: %s",
    async (name) => {
      await using folder = await openFolder();
      const executor = await open.pool.acquire(task, { workerId: `cancel-${name}` });
      const running = runCase(executor, folder.path, name);
      if (name === "hang") await until(() => existsSync(path.join(folder.path, "started")));
      executor.cancel("the attempt is over", 100);
      expect(await running).toMatchObject({ kind: "lost", message: expect.stringContaining("the attempt is over") });
      await executor.seal();
      await executor.release();
    },
  );

  test("a body that leaves a timer costs its thread, and the next one starts afresh", async () => {
    expect((await outcomeOf("timer", "left")).kind).toBe("returned");
    expect((await outcomeOf("ok", "left")).kind).toBe("returned");
  });

  test("user code sees the scrubbed environment, not the host's", async () => {
    await using folder = await openFolder();
    const environment = { LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY: "b", PERAGO_LOG_ROOT: "c", KEPT: "e" };
    await using other = openPool({ mode: "thread", environment });
    const executor = await other.pool.acquire(task, { workerId: "w0001" });
    const outcome = await runCase(executor, folder.path, "environment");
    await executor.release();
    if (outcome.kind !== "returned") throw new Error(outcome.kind);
    const names = Object.keys(JSON.parse(outcome.resultJson).value).toSorted();
    expect(names).toEqual(["KEPT", "PERAGO_EXECUTION_MARK", HOST_MARK].toSorted());
  });
});
