import { expect, test } from "vitest";
import { lazyExecutor } from "../src/attempt/lazy-executor.ts";
import { requestFor } from "../src/executor/testing/harness.ts";
import type { Executor } from "../src/attempt/ports/executor.ts";

function recording(): { readonly executor: Executor; readonly calls: string[]; readonly takenCount: () => number } {
  const calls: string[] = [];
  let takenCount = 0;
  const executor = lazyExecutor(() => {
    takenCount += 1;
    return Promise.resolve({
      validate: () => Promise.resolve({ ok: true } as const),
      run: () => {
        calls.push("run");
        return Promise.resolve({ kind: "failed", message: "" } as const);
      },
      cancel: (reason) => void calls.push(`cancel: ${reason}`),
      seal: () => Promise.resolve(),
      release: () => Promise.resolve(),
    });
  });
  return { executor, calls, takenCount: () => takenCount };
}

const request = requestFor("/nowhere");

test("fault H1: a cancel before the executor was taken reaches it before its body", async () => {
  const { executor, calls } = recording();
  executor.cancel("shutdown", 0);
  await executor.run(request);
  expect(calls).toEqual(["cancel: shutdown", "run"]);
});

test("nobody takes an executor for an attempt that never asks it anything", async () => {
  const { executor, takenCount } = recording();
  executor.cancel("shutdown", 0);
  await executor.seal();
  await executor.release();
  expect(takenCount()).toBe(0);
  await executor.run(request);
  await executor.run(request);
  expect(takenCount()).toBe(1);
});
