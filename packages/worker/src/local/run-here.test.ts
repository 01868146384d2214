import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineTask } from "@perago/taskdef";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { systemClock } from "../system-clock.ts";
import { slow, write } from "./fixtures/local.ts";
import type { LocalLogLine } from "./line-log.ts";
import { runHere } from "./run-here.ts";

async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "perago-here-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test("a body runs in this process, with the same guardrails and codes as in an executor", async () => {
  const folder = await tempFolder();
  const lines: LocalLogLine[] = [];
  const onLog = (line: LocalLogLine): void => void lines.push(line);
  const run = (params: unknown) => runHere({ task: write, params, folder, clock: systemClock, onLog });
  expect(await run({ text: "b" })).toMatchObject({ failure: { code: "guardrail_pre" } });
  await writeFile(join(folder, "in.txt"), "a");
  expect(await run({ text: 1 })).toMatchObject({ failure: { code: "input_invalid" } });
  expect(await run({ text: "b" })).toEqual({ status: "COMPLETED", result: { sawReadOnly: false } });
  expect(await readFile(join(folder, "out.txt"), "utf8")).toBe("b");
  expect(lines).toContainEqual({ level: "info", message: "written", fields: { name: "out.txt" } });
  expect(await run({ text: "b", fail: "terminal" })).toMatchObject({
    status: "FAILED_WITH_TERMINAL_ERROR",
    failure: { code: "body_terminal" },
  });
  expect(await run({ text: "b", name: "half.tmp" })).toMatchObject({ failure: { code: "guardrail_post" } });
  await symlink("in.txt", join(folder, "link"));
  expect(await run({ text: "b" })).toMatchObject({ failure: { code: "workspace_unstageable" } });
});

test("rule A5: the signal fires at the task's timeoutSeconds, and when the caller's does", async () => {
  const late = await runHere({ task: slow, params: {}, clock: systemClock });
  expect(late).toMatchObject({ status: "FAILED", failure: { code: "body_timeout" } });
  const stopped = await runHere({ task: slow, params: {}, clock: systemClock, signal: AbortSignal.abort() });
  expect(stopped).toMatchObject({ failure: { message: "the run was stopped" } });
});

test("rule I3: an output over the limit fails", async () => {
  const task = defineTask({
    name: "here.big",
    ownerEmail: "data@example.com",
    params: z.object({}),
    output: z.object({ text: z.string() }),
    run: () => ({ text: "x".repeat(100) }),
  });
  const run = (outputLimitBytes: number) => runHere({ task, params: {}, clock: systemClock, outputLimitBytes });
  expect(await run(100)).toMatchObject({ failure: { code: "output_too_large" } });
  expect(await run(200)).toMatchObject({ status: "COMPLETED" });
});
