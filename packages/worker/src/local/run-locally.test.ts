import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../system-clock.ts";
import { describeModules } from "../tasks/describe-modules.ts";
import type { LocalLogLine } from "./line-log.ts";
import { runLocally, type LocalRunOptions } from "./run-locally.ts";

const MODULE = fileURLToPath(new URL("./fixtures/local.ts", import.meta.url));
const described = await describeModules([MODULE], { clock: systemClock, environment: process.env });

async function tempFolder(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "perago-local-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

async function run(taskName: string, params: unknown, more: Partial<LocalRunOptions> = {}) {
  const task = described.tasks.find(({ name }) => name === taskName);
  if (task === undefined) throw new Error(`no task ${taskName}: ${JSON.stringify(described.findings)}`);
  const lines: LocalLogLine[] = [];
  const onLog = (line: LocalLogLine): void => void lines.push(line);
  const ended = await runLocally({ task, params, clock: systemClock, environment: process.env, onLog, ...more });
  return { ended, lines };
}

test("a body works in place on the folder, its result comes back, and its words are told", async () => {
  const folder = await tempFolder({ "in.txt": "a" });
  const { ended, lines } = await run("local.write", { text: "b" }, { folder });
  expect(ended).toEqual({ status: "COMPLETED", result: { sawReadOnly: false } });
  expect(await readFile(join(folder, "out.txt"), "utf8")).toBe("b");
  expect(lines.map(({ level, message }) => [level, message])).toEqual(
    expect.arrayContaining([
      ["info", "written"],
      ["info", "printed"],
    ]),
  );
});

test("a task without a workspace needs no folder", async () => {
  const { ended } = await run("local.free", { rows: 2 });
  expect(ended).toEqual({ status: "COMPLETED", result: { rows: 2 } });
});

test("rule T3: a pre guardrail that refuses keeps the body from running, and names what is missing", async () => {
  const folder = await tempFolder();
  const { ended } = await run("local.write", { text: "b" }, { folder });
  expect(ended).toMatchObject({ status: "FAILED_WITH_TERMINAL_ERROR", failure: { code: "guardrail_pre" } });
  expect(JSON.stringify(ended)).toContain("in.txt");
  expect(await readdir(folder)).toEqual([]);
});

test("rule T3: a post guardrail judges what the body left", async () => {
  const folder = await tempFolder({ "in.txt": "a" });
  const { ended } = await run("local.write", { text: "b", name: "half.tmp" }, { folder });
  expect(ended).toMatchObject({ status: "FAILED", failure: { code: "guardrail_post" } });
});

test.each([
  ["rule I3: params", { text: 3 }, "input_invalid", "FAILED_WITH_TERMINAL_ERROR"],
  ["rule I3: a result that the schema does not know", { text: "b", extra: true }, "output_invalid", "FAILED"],
  ["a thrown error", { text: "b", fail: "failed" }, "body_failed", "FAILED"],
  ["a terminal error", { text: "b", fail: "terminal" }, "body_terminal", "FAILED_WITH_TERMINAL_ERROR"],
  ["rule R5: an exit", { text: "b", fail: "exit" }, "executor_lost", "FAILED"],
])("%s: the code that a host would report", async (_what, params, code, status) => {
  const folder = await tempFolder({ "in.txt": "a" });
  const { ended } = await run("local.write", params, { folder });
  expect(ended).toMatchObject({ status, failure: { code } });
});

test("rule T7: a link in the folder is refused by name, before the body", async () => {
  const folder = await tempFolder({ "in.txt": "a" });
  await symlink("in.txt", join(folder, "link"));
  const { ended } = await run("local.write", { text: "b" }, { folder });
  expect(ended).toMatchObject({ failure: { code: "workspace_unstageable" } });
  expect(JSON.stringify(ended)).toContain("link");
  expect((await readdir(folder)).toSorted()).toEqual(["in.txt", "link"]);
});

test("rule A5: a body past the task's timeoutSeconds is ended", async () => {
  const { ended } = await run("local.slow", {});
  expect(ended).toMatchObject({ status: "FAILED", failure: { code: "body_timeout" } });
});

test("a fired signal reaches the body and ends the run", async () => {
  const { ended } = await run("local.slow", {}, { signal: AbortSignal.abort() });
  expect(ended).toMatchObject({ status: "FAILED", failure: { code: "executor_lost", message: "the run was stopped" } });
});

test("a task that is not in its module any more is told, not thrown", async () => {
  const [task] = described.tasks;
  if (task === undefined) throw new Error("no task");
  const ended = await runLocally({
    task: { ...task, exportName: "gone" },
    params: {},
    folder: await tempFolder(),
    clock: systemClock,
    environment: process.env,
  });
  expect(ended).toMatchObject({ status: "FAILED", failure: { code: "executor_lost" } });
});
