import { createTestBench, runTask } from "../src/index.ts";
import { afterAll, expect, test } from "vitest";
import { append } from "./fixtures/notes.ts";

test("the body appends a line", async () => {
  const { status, result, files } = await runTask(append, {
    params: { line: "b" },
    files: { "all.txt": "a\n" },
  });
  expect(status).toBe("COMPLETED");
  expect(result).toEqual({ lineCount: 2 });
  expect(files["all.txt"]?.toString()).toBe("a\nb\n");
});

const bench = await createTestBench({ modules: [new URL("./fixtures/notes.ts", import.meta.url)] });
afterAll(() => bench.close());

test("an attempt publishes one commit", async () => {
  const { status, ref, history } = await bench.runAttempt({
    task: "notes.append",
    params: { line: "b" },
    files: { "all.txt": "a\n" },
  });
  expect(status).toBe("COMPLETED");
  expect(history.map(({ id }) => id)).toEqual([ref]);
});
