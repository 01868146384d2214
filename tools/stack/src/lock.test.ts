import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { withLock } from "./lock.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "perago-lock-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const request = (name: string, timeoutMs = 0) => ({
  file: join(folder, name),
  guards: "the thing",
  timeoutMs,
  signal: new AbortController().signal,
  say: () => undefined,
});

it("lets one in at a time and the next one after it, also when the first fails", async () => {
  const order: string[] = [];
  const entered = Promise.withResolvers<void>();
  const first = withLock(request("a"), async () => {
    order.push("first in");
    entered.resolve();
    await expect(withLock(request("a"), async () => undefined)).rejects.toMatchObject({ code: "LOCKED", exitCode: 1 });
    order.push("first out");
    throw new Error("failed inside");
  });
  await entered.promise;
  const second = withLock(request("a", 10_000), async () => void order.push("second in"));
  await expect(first).rejects.toThrow("failed inside");
  await second;
  expect(order).toEqual(["first in", "first out", "second in"]);
});

it("is free again when its holder was killed", async () => {
  const code = `
    const { withLock } = await import(${JSON.stringify(join(import.meta.dirname, "lock.ts"))});
    const request = ${JSON.stringify({ file: join(folder, "b"), guards: "x", timeoutMs: 0 })};
    await withLock({ ...request, say() {} }, async () => {
      console.log("held");
      await new Promise((r) => setTimeout(r, 60000));
    });`;
  const holder = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["ignore", "pipe", "inherit"] });
  await once(holder.stdout, "data");
  await expect(withLock(request("b"), async () => undefined)).rejects.toMatchObject({ code: "LOCKED" });
  holder.kill("SIGKILL");
  await once(holder, "close");
  expect(await withLock(request("b"), async () => "in")).toBe("in");
});
