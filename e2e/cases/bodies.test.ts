import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { expectPresentable } from "../bad-input/refusal.ts";
import { untilEnded, type EngineTask } from "../support/conductor.ts";
import { startHost, type Host } from "../support/host.ts";
import { failureCode } from "../support/outcome.ts";
import { createTestRun, registerTasks, writeModule, type TestRun } from "../support/test-run.ts";

const MODULES = [join(import.meta.dirname, "tasks/last.ts")];
const LINES = 50;
const result = z.object({ result: z.object({ text: z.string() }) });

let run: TestRun;
let host: Host;

beforeAll(async () => {
  run = await createTestRun([]);
  await registerTasks(run, MODULES);
  host = await startHost(run, { modules: MODULES });
});
// What is made in a hook is not ended with the file by itself.
afterAll(async () => void (await host.stop()));

/** Runs the task once and returns it when its workflow has ended. */
async function runLast(params: Readonly<Record<string, unknown>>): Promise<EngineTask> {
  const ended = await untilEnded(await run.startTask("last", { params }), { decide: true });
  const [task, ...others] = ended.tasks;
  expect(others).toEqual([]);
  if (task === undefined) throw new Error("the workflow has no task");
  return task;
}

test.for([100_000, 1_000_000, 8_000_000])(
  "case S01, rule R5: %i letters of result and then process.exit: all arrive, or the attempt fails and says why",
  async (size) => {
    const task = await runLast({ size, exits: true });
    if (task.status === "COMPLETED") {
      expect(result.parse(task.outputData).result.text.length).toBe(size);
      return;
    }
    expect(["executor_lost", "output_too_large"]).toContain(failureCode(task));
    expect(task.outputData).toEqual({});
  },
);

test("case S01, rule R5: the slot's next body has a process, and its result arrives whole", async () => {
  const task = await runLast({ size: 1_000_000 });
  expect(task.status, task.reasonForIncompletion ?? "").toBe("COMPLETED");
  expect(result.parse(task.outputData).result.text.length).toBe(1_000_000);
});

test("case S08, rule R3: of a failure after 50 lines of log the reason alone is enough to act on, and the log files hold the rest", async () => {
  const failure = "song 17 has no title: give it one in songs.json";
  const task = await runLast({ lineCount: LINES, failure });
  expect(task.status).toBe("FAILED");
  const reason = task.reasonForIncompletion ?? "";
  expect(reason).toMatch(/^body_failed: /);
  expect(reason).toContain(failure);
  expectPresentable(reason, host);
  const logged = await host.logText();
  const lines = Array.from({ length: LINES }, (_, index) => `"msg":"line ${index + 1} of ${LINES}"`);
  expect(lines.filter((line) => !logged.includes(line))).toEqual([]);
});

const broken = [
  { what: "throws on import", text: `throw new Error("no such library");\n`, why: "no such library" },
  { what: "ends its process on import", text: "process.abort();\n", why: "SIGABRT" },
];
test.for(broken)(
  "case S03: a module that $what is found by check, and start says so and ends instead of trying for ever",
  async ({ text, why }) => {
    const module = await writeModule(text);
    for (const command of ["check", "start"]) {
      const { exitCode, stdout, stderr } = await run.perago([command, module]);
      expect(exitCode).toBe(1);
      expect(`${stdout}${stderr}`).toContain(why);
    }
  },
);
