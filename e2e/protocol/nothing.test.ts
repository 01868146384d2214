import { describe, expect, test } from "vitest";
import { startWorkflow, untilEnded, untilTask } from "../support/conductor.ts";
import { createBench } from "../support/bench.ts";
import { createControl } from "../support/control.ts";
import { confirmsSince, expectNothingLeft, failureCode, outputRef } from "../support/outcome.ts";
import type { SeenRequest } from "../support/proxy.ts";

const TREE = { "work/a.txt": "a", "work/sub/b.txt": "b", "elsewhere.txt": "outside" };

const bench = await createBench({ tasks: ["files", "reader", "guarded", "free"], label: "nothing", tree: TREE });
const { run, repository, input, lakefs } = bench;

function writesToLakefs({ method }: SeenRequest): boolean {
  return method !== "GET" && method !== "HEAD";
}

describe("an attempt that publishes nothing", () => {
  test("rule R1: a read-only task sees the whole commit, makes no branch and no commit, and returns its input ref", async () => {
    const host = await bench.host();
    const control = await createControl(run);
    const params = control.params([
      { do: "write", path: "scribble.txt", content: "discarded" },
      { do: "remove", path: "elsewhere.txt" },
    ]);
    const workflowId = await run.startTask("reader", { repository, ref: input, params });
    const task = await untilTask(workflowId, ["COMPLETED", "FAILED", "FAILED_WITH_TERMINAL_ERROR"]);
    expect(outputRef(task)).toBe(input);
    expect((await control.runs())[0]?.files).toEqual(Object.keys(TREE).toSorted());
    expect(await repository.head()).toBe(input);
    expect(lakefs.requests.filter(writesToLakefs)).toEqual([]);
    await expectNothingLeft(repository, host);
  });

  test("rule R2, case L01: a no-op, and a body that writes equal bytes again, commit nothing and return the input ref", async () => {
    const host = await bench.host();
    for (const script of [[], [{ do: "write", path: "a.txt", content: "a" }]] as const) {
      const control = await createControl(run);
      const params = control.params(script);
      const workflowId = await run.startTask("files", { repository, ref: input, params });
      const task = await untilTask(workflowId, ["COMPLETED", "FAILED", "FAILED_WITH_TERMINAL_ERROR"]);
      expect(outputRef(task)).toBe(input);
      expect(await control.runs()).toHaveLength(1);
    }
    expect(await repository.head()).toBe(input);
    await expectNothingLeft(repository, host);
    // A branch was begun when the body had returned, and nothing was done with it.
    const done = lakefs.requests.filter(writesToLakefs).map(({ method, path }) => `${method} ${path}`);
    const ownBranch = /^POST .*\/branches$|^DELETE .*\/branches\/perago-stg-[^/]+$/;
    expect(done.filter((request) => !ownBranch.test(request))).toEqual([]);
  });

  test("rule T3: a pre guardrail that refuses is terminal, names what is missing, and the body did not run", async () => {
    const host = await bench.host();
    const control = await createControl(run);
    const params = control.params([{ do: "write", path: "b.txt", content: "b" }]);
    const workflowId = await run.startTask("guarded", { repository, ref: input, params });
    const ended = await untilEnded(workflowId);
    expect(ended.tasks.map(({ status }) => status)).toEqual(["FAILED_WITH_TERMINAL_ERROR"]);
    const [task] = ended.tasks;
    expect(task && failureCode(task)).toBe("guardrail_pre");
    expect(task?.reasonForIncompletion).toContain("needed.txt");
    expect(await control.runs()).toEqual([]);
    expect(await repository.head()).toBe(input);
    await expectNothingLeft(repository, host);
  });

  test("rule T3: the same guardrail lets the body run where the file is there", async () => {
    await bench.host();
    const control = await createControl(run);
    await repository.createBranch("with-needed", input);
    const ref = await repository.commitTree({ "work/needed.txt": "" }, "with-needed");
    const params = control.params([{ do: "write", path: "b.txt", content: "b" }]);
    const workflowId = await run.startTask("guarded", { repository, ref, branch: "with-needed", params });
    expect((await untilEnded(workflowId)).status).toBe("COMPLETED");
    expect(await control.runs()).toHaveLength(1);
    expect(await confirmsSince(repository, ref, "with-needed")).toHaveLength(1);
  });

  test("rule I2: a task without a workspace returns a result and no workspace, and asks lakeFS for nothing", async () => {
    await bench.host();
    const control = await createControl(run);
    const workflowId = await run.startTask("free", { params: control.params([]) });
    const task = await untilTask(workflowId, ["COMPLETED", "FAILED", "FAILED_WITH_TERMINAL_ERROR"]);
    expect(task.outputData).toEqual({ result: { run: 1 } });
    expect(lakefs.requests).toEqual([]);
  });
});

test("case L16: the input is the commit: neither uncommitted objects nor later commits of its branch appear in the folder", async () => {
  await bench.host();
  await repository.createBranch("moving", input);
  await repository.put({ "work/uncommitted.txt": "not yet" }, "moving");
  const control = await createControl(run);
  const params = control.params([{ do: "tell", name: "working" }]);
  const workflowId = await run.startTask("reader", { repository, ref: input, branch: "moving", params });
  const task = await untilTask(workflowId, ["COMPLETED", "FAILED", "FAILED_WITH_TERMINAL_ERROR"]);
  expect(outputRef(task)).toBe(input);
  expect((await control.runs())[0]?.files).toEqual(Object.keys(TREE).toSorted());
});

test("case L16: what is committed to the input's branch between listing and download does not appear either", async () => {
  await bench.host();
  await repository.createBranch("racing", input);
  const listed = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  lakefs.meddle(({ method, path }) => {
    if (method !== "GET" || !path.endsWith("/objects")) return undefined;
    listed.resolve();
    return { kind: "delay_request", until: released.promise };
  });
  const control = await createControl(run);
  const params = control.params([]);
  const workflowId = await run.startTask("reader", { repository, ref: input, branch: "racing", params });
  await listed.promise;
  await repository.commitTree({ "work/a.txt": "moved", "work/new.txt": "new" }, "racing");
  released.resolve();
  const task = await untilTask(workflowId, ["COMPLETED", "FAILED", "FAILED_WITH_TERMINAL_ERROR"]);
  expect(outputRef(task)).toBe(input);
  const reads = lakefs.requests.filter(({ path }) => path.includes(`/repositories/${repository.name}/refs/`));
  expect(reads.filter(({ path }) => !path.includes(`/refs/${input}/`))).toEqual([]);
  expect((await control.runs())[0]?.files).toEqual(Object.keys(TREE).toSorted());
});

test("case L17: names of 200 letters that are not ASCII are read back from the commit's metadata as they are", async () => {
  const host = await bench.host();
  await repository.createBranch("long-names", input);
  const ref = `größe_数据_${"ä".repeat(200)}`.slice(0, 200);
  const name = await run.workflow(`länge-${"w".repeat(200)}`, [{ task: "files", ref }]);
  const control = await createControl(run);
  const workspace = { repository: repository.name, branch: "long-names", refType: "commit", ref: input };
  const params = control.params([{ do: "write", path: "a.txt", content: "long" }]);
  const workflowId = await startWorkflow(name, { workspace, params });
  const task = await untilTask(workflowId, ["COMPLETED", "FAILED", "FAILED_WITH_TERMINAL_ERROR"], { ref });
  const published = await repository.client.getCommit(repository.name, outputRef(task));
  expect(published.metadata).toMatchObject({
    "perago.reference_task_name": ref,
    "perago.task_def_name": run.name("files"),
    "perago.workflow_instance_id": workflowId,
    "perago.logical_task_key": `${workflowId}:${ref}:0:${run.name("files")}`,
  });
  // lakeFS adds keys of its own; all of ours are in one namespace, and all values are texts.
  const others = Object.keys(published.metadata).filter((key) => !key.startsWith("perago."));
  expect(others.filter((key) => !/^(\.lakefs\.|::lakefs::)/.test(key))).toEqual([]);
  await expectNothingLeft(repository, host);
});
