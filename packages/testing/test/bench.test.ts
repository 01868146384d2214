import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { createTestBench, runAttempt, TestingError } from "../src/index.ts";

const MODULE = new URL("./fixtures/notes.ts", import.meta.url);
const BOUND_MS = 15_000;
const bench = await createTestBench({ modules: [MODULE], jobs: 2 });
const retrying = await createTestBench({ modules: [MODULE], retries: true, jobs: 2 });
afterAll(async () => {
  await bench.close();
  await retrying.close();
});

const FILES = { "all.txt": "a\n" };

async function until(what: string, look: () => Promise<boolean> | boolean): Promise<void> {
  const endMs = performance.now() + BOUND_MS;
  while (!(await look())) {
    if (performance.now() > endMs) throw new Error(`${what} did not come to pass`);
    await sleep(20);
  }
}

test("rule P1: an attempt publishes with one confirm commit on its own branch, which says what it was made from", async () => {
  const run = await bench.runAttempt({ task: "notes.append", params: { line: "b" }, files: FILES });
  expect(run).toMatchObject({ status: "COMPLETED", result: { lineCount: 2 }, code: undefined });
  expect(run.files["all.txt"]?.toString()).toBe("a\nb\n");
  expect(run.history.map(({ id }) => id)).toEqual([run.ref]);
  expect(run.history[0]?.metadata).toMatchObject({ "perago.phase": "confirm", "perago.input_ref": run.inputRef });
  expect(run.attempts).toHaveLength(1);
  expect(bench.logs()).toContainEqual(expect.objectContaining({ msg: "appended", source: "body" }));
});

test("a failure ends after one attempt, with its reason and code, and nothing is published", async () => {
  const run = await bench.runAttempt({ task: "notes.append", params: { line: "b", fail: true }, files: FILES });
  expect(run).toMatchObject({ status: "FAILED", code: "body_failed", result: undefined, ref: undefined, history: [] });
  expect(run.reason).toContain("told to");
  expect(run.files["all.txt"]?.toString()).toBe("a\n");
});

test("a task without a workspace has a result and no files", async () => {
  const run = await bench.runAttempt({ task: "notes.count", params: { lines: ["a", "b"] } });
  expect(run).toMatchObject({ status: "COMPLETED", result: { count: 2 }, ref: undefined, files: {}, history: [] });
  await expect(bench.runAttempt({ task: "notes.count", params: {}, files: FILES })).rejects.toThrow(TestingError);
});

test("rule P3: somebody else's commit since the input ref refuses", async () => {
  const ref = await bench.commit("shared", { "notes/all.txt": "a\n" });
  const foreign = await bench.commit("shared", { "elsewhere.txt": "x" });
  const run = await bench.runAttempt({ task: "notes.append", params: { line: "b" }, branch: "shared", ref });
  expect(run).toMatchObject({ status: "FAILED", code: "publish_fence" });
  expect(run.history.map(({ id }) => id)).toEqual([foreign]);
});

test("rule P2: with retries, a lost report and the clock moved on, the second attempt supersedes the first", async () => {
  const params = { line: "b" };
  const lost = { server: "conductor", method: "POST", path: /^\/api\/tasks$/, times: 1_000 } as const;
  const fault = retrying.faults.add({ ...lost, kind: "drop-request" });
  const started = await retrying.start({ task: "notes.append", params, files: FILES });
  await until("a report is lost", () => fault.hits > 0);
  retrying.clock.advance(21_000);
  fault.remove();
  retrying.clock.advance(61_000);
  const run = await started.ended();
  expect(run.attempts.map(({ status }) => status)).toEqual(["TIMED_OUT", "COMPLETED"]);
  const [second, first, ...others] = run.history;
  expect(others).toEqual([]);
  expect(second?.metadata["perago.supersedes"]).toBe(first?.id);
});

test("a wait that is over is told with what the engine shows, and a closed bench starts nothing", async () => {
  const one = await createTestBench({ modules: [MODULE] });
  const held = one.faults.add({ server: "conductor", path: "/tasks/poll/", times: 1_000, kind: "answer", status: 503 });
  const started = await one.start({ task: "notes.append", params: { line: "b" }, files: FILES });
  await expect(started.ended(200)).rejects.toThrow("is RUNNING after 200 ms (attempt 0 SCHEDULED)");
  held.remove();
  await one.close();
  await one.close();
  await expect(one.start({ task: "notes.append", params: {} })).rejects.toThrow("the bench is closed");
  await expect(fetch(one.servers.conductor.url)).rejects.toThrow("fetch failed");
});

test("runAttempt brings its own servers and leaves none", async () => {
  const run = await runAttempt(MODULE, { task: "notes.append", params: { line: "b" }, files: FILES });
  expect(run.status).toBe("COMPLETED");
  await expect(createTestBench({ modules: [new URL("./nowhere.ts", import.meta.url)] })).rejects.toThrow(TestingError);
});
