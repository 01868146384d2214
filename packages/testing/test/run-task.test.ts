import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { describe, expect, expectTypeOf, test } from "vitest";
import { defineTask } from "@perago/taskdef";
import { z } from "zod";
import { runTask, TestingError } from "../src/index.ts";
import { append, count } from "./fixtures/notes.ts";

const MODULE = new URL("./fixtures/notes.ts", import.meta.url);

describe.each([
  {
    how: "a task object, in this process",
    run: (options: object) => runTask(append, { params: { line: "b" }, ...options }),
  },
  {
    how: "a module, in an executor process",
    run: (options: object) => runTask(MODULE, { task: "notes.append", params: { line: "b" }, ...options }),
  },
])("$how", ({ run }) => {
  test("result, files and logs come back", async () => {
    const ended = await run({ files: { "all.txt": "a\n", "deep/raw.bin": new Uint8Array([0, 255]) } });
    expect(ended).toMatchObject({ status: "COMPLETED", result: { lineCount: 2 } });
    expect(ended.files["all.txt"]?.toString()).toBe("a\nb\n");
    expect(ended.files["deep/raw.bin"]).toEqual(Buffer.from([0, 255]));
    expect(ended.logs).toEqual([{ level: "info", message: "appended", fields: { line: "b" } }]);
  });

  test("rule T3: guardrails judge before and after the body", async () => {
    const before = await run({});
    expect(before).toMatchObject({
      status: "FAILED_WITH_TERMINAL_ERROR",
      failure: { code: "guardrail_pre" },
      logs: [],
    });
    const after = await run({ params: { line: "b", leave: "x.tmp" }, files: { "all.txt": "" } });
    expect(after).toMatchObject({ status: "FAILED", failure: { code: "guardrail_post" } });
    expect(Object.keys(after.files)).toEqual(["all.txt", "x.tmp"]);
  });

  test("what the body throws, and params that the schema refuses, are in the answer", async () => {
    const failed = await run({ params: { line: "b", fail: true }, files: { "all.txt": "" } });
    expect(failed).toMatchObject({ failure: { code: "body_failed", message: "told to" } });
    expect(await run({ params: {}, files: { "all.txt": "" } })).toMatchObject({ failure: { code: "input_invalid" } });
  });
});

test("a task object has types: params and result are its own", async () => {
  const ended = await runTask(count, { params: { lines: ["a"] } });
  expectTypeOf(ended.result).toEqualTypeOf<{ count: number } | undefined>();
  expect(ended.result).toEqual({ count: 1 });
  expect(ended.files).toEqual({});
});

test("what cannot be run at all is a TestingError with a mend", async () => {
  const codeOf = (run: Promise<unknown>): Promise<unknown> =>
    run.then(
      () => "none",
      (error: unknown) => (error instanceof TestingError ? error.code : error),
    );
  expect(await codeOf(runTask(MODULE, { params: {} }))).toBe("task_unknown");
  expect(await codeOf(runTask(MODULE, { task: "notes.x", params: {} }))).toBe("task_unknown");
  expect(await codeOf(runTask(new URL("./nowhere.ts", import.meta.url), { params: {} }))).toBe("module_refused");
  expect(await codeOf(runTask(count, { params: { lines: [] }, files: { a: "" } }))).toBe("files_refused");
  for (const name of ["../a", "/a", "a//b", "."]) {
    expect(await codeOf(runTask(append, { params: { line: "" }, files: { [name]: "" } }))).toBe("files_refused");
  }
  const wrong = defineTask({
    name: "not a name!",
    ownerEmail: "nobody",
    params: z.object({}),
    output: z.object({}),
    run: () => ({}),
  });
  expect(await codeOf(runTask(wrong, { params: {} }))).toBe("declaration_refused");
});

test("no folder is left, also where a run was refused", async () => {
  const left = async () => (await readdir(tmpdir())).filter((name) => name.startsWith("perago-test-task-"));
  const before = new Set(await left());
  await runTask(append, { params: { line: "b" } });
  await expect(runTask(append, { params: { line: "" }, files: { "../a": "" } })).rejects.toThrow(TestingError);
  expect((await left()).filter((name) => !before.has(name))).toEqual([]);
});
