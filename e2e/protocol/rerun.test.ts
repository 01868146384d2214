import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import {
  rerun,
  restart,
  retry,
  startWorkflow,
  untilEnded,
  untilTask,
  untilWorkflow,
  update,
} from "../support/conductor.ts";
import { createBench } from "../support/bench.ts";
import { createControl, type Action } from "../support/control.ts";
import {
  confirmsSince,
  expectNothingLeft,
  failureCode,
  outputRef,
  removeStagingBranches,
  stagingBranches,
} from "../support/outcome.ts";
import { until } from "../support/until.ts";

const bench = await createBench({
  tasks: ["files", "later", "once"],
  label: "rerun",
  tree: { "work/a.txt": "a", "elsewhere.txt": "outside" },
  isProtected: true,
});
const { run, repository, input, conductor } = bench;
/** The protected target of the test. */
let branch: string;

beforeEach(async () => {
  branch = await repository.newBranch("protected", input);
});

describe("fault C11: a step that has published runs again because somebody asks for it", () => {
  test("case R16, rule P8: a rerun keeps task id and retry count, comes later, and supersedes the older delivery exactly", async () => {
    const host = await bench.host();
    const control = await createControl(run);
    const params = control.params(
      [{ do: "write", path: "first.txt", content: "1" }],
      [{ do: "write", path: "second.txt", content: "2" }],
    );
    const workflowId = await run.startTask("files", { repository, ref: input, branch, params });
    const before = (await untilEnded(workflowId)).tasks[0];
    expect(before?.status).toBe("COMPLETED");
    await rerun(workflowId, before?.taskId ?? "");
    const again = await untilWorkflow(workflowId, "the rerun is COMPLETED", ({ status, tasks: [task] }) => {
      return status === "COMPLETED" && task !== undefined && task.scheduledTime !== before?.scheduledTime && task;
    });
    expect(again).toMatchObject({ taskId: before?.taskId, retryCount: 0 });
    const [newest, first, ...others] = await confirmsSince(repository, input, branch);
    expect(others).toEqual([]);
    expect(newest?.metadata).toMatchObject({
      "perago.supersedes": first?.id,
      "perago.task_id": first?.metadata["perago.task_id"],
      "perago.scheduled_time": String(again.scheduledTime),
    });
    expect(Number(newest?.metadata["perago.scheduled_time"])).toBeGreaterThan(
      Number(first?.metadata["perago.scheduled_time"]),
    );
    expect(outputRef(again)).toBe(newest?.id);
    expect(await repository.tree(branch, "work/")).toEqual({ "work/a.txt": "a", "work/second.txt": "2" });
    await expectNothingLeft(repository, host);
  });

  test("case R16, rule P8: a restart has a new task id and retry count 0 again, and supersedes too", async () => {
    await bench.host();
    const control = await createControl(run);
    const params = control.params(
      [{ do: "write", path: "first.txt", content: "1" }],
      [{ do: "write", path: "second.txt", content: "2" }],
    );
    const workflowId = await run.startTask("files", { repository, ref: input, branch, params });
    const before = (await untilEnded(workflowId)).tasks[0];
    await restart(workflowId);
    const again = await untilWorkflow(workflowId, "the restart is COMPLETED", ({ status, tasks: [task] }) => {
      return status === "COMPLETED" && task !== undefined && task.taskId !== before?.taskId && task;
    });
    expect(again.retryCount).toBe(0);
    const [newest, first, ...others] = await confirmsSince(repository, input, branch);
    expect(others).toEqual([]);
    expect(newest?.metadata["perago.supersedes"]).toBe(first?.id);
    expect(newest?.metadata["perago.task_id"]).toBe(again.taskId);
    expect(await repository.tree(branch, "work/")).toEqual({ "work/a.txt": "a", "work/second.txt": "2" });
  });

  test("case R16, rule P2: a retry of the failed workflow by hand supersedes what the lost attempt has published", async () => {
    await bench.host();
    const control = await createControl(run);
    conductor.meddle(({ body }) => (body.includes(`"status":"COMPLETED"`) ? { kind: "drop_request" } : undefined));
    const params = control.params(
      [{ do: "write", path: "first.txt", content: "1" }],
      [{ do: "write", path: "second.txt", content: "2" }],
    );
    const workflowId = await run.startTask("once", { repository, ref: input, branch, params });
    // The task has no retries: its time-out ends the workflow.
    const failed = await untilEnded(workflowId, { decide: true });
    expect(failed.tasks.map(({ status }) => status)).toEqual(["TIMED_OUT"]);
    conductor.meddle();
    await retry(workflowId);
    const again = await untilTask(workflowId, ["COMPLETED"], { retryCount: 1 });
    const [newest, first, ...others] = await confirmsSince(repository, input, branch);
    expect(others).toEqual([]);
    expect(newest?.metadata).toMatchObject({ "perago.supersedes": first?.id, "perago.retry_count": "1" });
    expect(outputRef(again)).toBe(newest?.id);
    expect(await repository.tree(branch, "work/")).toEqual({ "work/a.txt": "a", "work/second.txt": "2" });
  });

  test("rule P3: a rerun of step 1 after step 2 has published is refused, before the body, and step 2's commit stays", async () => {
    await bench.host();
    const control = await createControl(run);
    const workspace = { repository: repository.name, branch, refType: "commit" };
    const name = await run.workflow("chain", [
      {
        task: "files",
        ref: "one",
        input: { workspace: { ...workspace, ref: input }, params: "${workflow.input.one}" },
      },
      {
        task: "later",
        ref: "two",
        input: { workspace: { ...workspace, ref: "${one.output.workspace.ref}" }, params: "${workflow.input.two}" },
      },
    ]);
    const other = await createControl(run);
    const workflowId = await startWorkflow(name, {
      one: control.params([{ do: "write", path: "one.txt", content: "1" }]),
      two: other.params([{ do: "write", path: "two.txt", content: "2" }]),
    });
    const [one] = (await untilEnded(workflowId)).tasks;
    const head = await repository.head(branch);
    await rerun(workflowId, one?.taskId ?? "");
    const ended = await untilWorkflow(workflowId, "the rerun has failed", (workflow) => {
      return workflow.status === "FAILED" && workflow;
    });
    const refused = ended.tasks.filter(({ referenceTaskName }) => referenceTaskName === "one");
    expect(refused.map(failureCode)).toEqual(refused.map(() => "publish_fence"));
    // The way out is in the reason.
    expect(refused.at(-1)?.reasonForIncompletion).toContain(head);
    expect(await control.runs()).toHaveLength(1);
    expect(await repository.head(branch)).toBe(head);
  });
});

test("case R16, rule P3: a new workflow is another logical task, also with the same correlation id: what the first has published is foreign to it", async () => {
  await bench.host();
  const control = await createControl(run);
  const params = control.params([{ do: "write", path: "first.txt", content: "1" }]);
  const workspace = { repository: repository.name, branch, refType: "commit", ref: input };
  const name = await run.workflow("correlated", [{ task: "once" }]);
  const start = (): Promise<string> => startWorkflow(name, { workspace, params }, "the same errand");
  expect((await untilEnded(await start())).status).toBe("COMPLETED");
  const published = await repository.head(branch);
  const [refused] = (await untilEnded(await start())).tasks;
  expect(refused && failureCode(refused)).toBe("publish_fence");
  expect(refused?.reasonForIncompletion).toContain(published);
  expect(await repository.head(branch)).toBe(published);
});

describe("one delivery handed out twice", () => {
  /** The host of the first hand-out dies after its merge; a plain IN_PROGRESS update queues the task again. */
  async function publishAndDie(scripts: readonly (readonly Action[])[]) {
    const doomed = await bench.host();
    const control = await createControl(run);
    conductor.meddle(({ body }) => (body.includes(`"status":"COMPLETED"`) ? { kind: "drop_request" } : undefined));
    const workflowId = await run.startTask("files", {
      repository,
      ref: input,
      branch,
      params: control.params(...scripts),
    });
    const published = await until("it has published", async () => (await confirmsSince(repository, input, branch))[0]);
    await doomed.kill();
    conductor.meddle();
    onTestFinished(() => removeStagingBranches(repository));
    const task = await untilTask(workflowId, ["IN_PROGRESS"]);
    await update(task, { status: "IN_PROGRESS" });
    return { workflowId, published, task };
  }

  test("rule P9: the same projection is adopted as the publication, without another commit", async () => {
    const { workflowId, published, task } = await publishAndDie([[{ do: "write", path: "one.txt", content: "1" }]]);
    await bench.host();
    const ended = await untilTask(workflowId, ["COMPLETED", "FAILED", "TIMED_OUT"]);
    expect(ended).toMatchObject({ taskId: task.taskId, scheduledTime: task.scheduledTime, pollCount: 2 });
    expect(outputRef(ended)).toBe(published.id);
    expect(await repository.head(branch)).toBe(published.id);
  });

  test("rule P9: another projection is already_published, and the target stays as it was", async () => {
    const { workflowId, published, task } = await publishAndDie([
      [{ do: "write", path: "one.txt", content: "1" }],
      [{ do: "write", path: "one.txt", content: "other" }],
      [{ do: "write", path: "one.txt", content: "retry" }],
    ]);
    const host = await bench.host();
    const refused = await untilTask(workflowId, ["COMPLETED", "FAILED", "TIMED_OUT"], { retryCount: 0 });
    expect(refused).toMatchObject({ taskId: task.taskId, pollCount: 2 });
    expect(failureCode(refused)).toBe("already_published");
    // Only the retry, another delivery, may publish over it.
    const ended = await untilEnded(workflowId, { decide: true });
    expect(ended.status).toBe("COMPLETED");
    const [newest, first, ...others] = await confirmsSince(repository, input, branch);
    expect(others).toEqual([]);
    expect(first?.id).toBe(published.id);
    expect(newest?.metadata).toMatchObject({ "perago.supersedes": published.id, "perago.retry_count": "1" });
    // What the dead host has left is the sweeper's.
    const kept = published.metadata["perago.staging_branch"] ?? "";
    await expectNothingLeft(repository, host, [kept]);
    expect(await stagingBranches(repository)).toEqual([kept]);
  });
});
