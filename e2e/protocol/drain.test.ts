import { beforeAll, expect, test } from "vitest";
import { getWorkflow, terminate, untilEnded, untilTask } from "../support/conductor.ts";
import { createControl, isAlive, type Control } from "../support/control.ts";
import { startHost, type Host, type HostOptions } from "../support/host.ts";
import { createRepository, type Repository } from "../support/lakefs-repository.ts";
import { confirmsSince, expectNothingLeft, failureCode } from "../support/outcome.ts";
import { createTestRun, type TestRun } from "../support/test-run.ts";
import { until } from "../support/until.ts";

/** Exit code of a process that a second SIGTERM has forced. */
const EXIT_FORCED = 143;

let run: TestRun;
let repository: Repository;
let input: string;

beforeAll(async () => {
  run = await createTestRun(["once"]);
  repository = await createRepository("drain");
  input = await repository.commitTree({ "work/a.txt": "a" });
});

/** A host whose one body holds at `go on`, on a branch of its own. */
async function busyHost(
  options: HostOptions = {},
): Promise<{ host: Host; control: Control; branch: string; workflowId: string }> {
  const host = await startHost(run, options);
  const control = await createControl(run);
  const branch = await repository.newBranch("target", input);
  const params = control.params([
    { do: "tell", name: "working" },
    { do: "hold", name: "go on" },
    { do: "write", path: "a.txt", content: "finished" },
  ]);
  const workflowId = await run.startTask("once", { repository, ref: input, branch, params });
  await control.heard("working");
  return { host, control, branch, workflowId };
}

test("SIGTERM while a body runs: it finishes, publishes and reports, nothing new is taken, and the host exits 0", async () => {
  const { host, control, branch, workflowId } = await busyHost();
  process.kill(host.pid, "SIGTERM");
  await until("the host says that it drains", async () => (await host.logText()).includes("drains"));
  const late = await createControl(run);
  const lateId = await run.startTask("once", { repository, ref: input, branch, params: late.params([]) });
  await control.tell("go on");
  expect((await host.ended).exitCode).toBe(0);
  expect((await untilEnded(workflowId)).status).toBe("COMPLETED");
  expect(await confirmsSince(repository, input, branch)).toHaveLength(1);
  expect((await getWorkflow(lateId)).tasks.map(({ status }) => status)).toEqual(["SCHEDULED"]);
  await terminate(lateId);
  await expectNothingLeft(repository, host);
});

test("a second signal ends the body at once: its attempt is FAILED, nothing is published, and the exit code tells", async () => {
  const { host, control, branch, workflowId } = await busyHost();
  const [body] = await control.runs();
  process.kill(host.pid, "SIGTERM");
  await until("the host says that it drains", async () => (await host.logText()).includes("drains"));
  process.kill(host.pid, "SIGTERM");
  expect((await host.ended).exitCode).toBe(EXIT_FORCED);
  const task = await untilTask(workflowId, ["FAILED", "COMPLETED", "TIMED_OUT"]);
  expect(failureCode(task)).not.toBe("");
  expect(await isAlive(body?.pid ?? 0)).toBe(false);
  expect(await repository.head(branch)).toBe(input);
  await expectNothingLeft(repository, host);
});

test("PERAGO_SHUTDOWN_FORCE_KILL_AFTER ends a body that goes on: its attempt is FAILED, and the host exits 0", async () => {
  const { host, branch, workflowId } = await busyHost({ env: { PERAGO_SHUTDOWN_FORCE_KILL_AFTER: "1s" } });
  process.kill(host.pid, "SIGTERM");
  expect((await host.ended).exitCode).toBe(0);
  const task = await untilTask(workflowId, ["FAILED", "COMPLETED", "TIMED_OUT"]);
  expect(task.status).toBe("FAILED");
  expect(await repository.head(branch)).toBe(input);
  await expectNothingLeft(repository, host);
});
