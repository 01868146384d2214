import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { getTask, untilEnded, untilTask } from "../support/conductor.ts";
import { createBench } from "../support/bench.ts";
import { createControl } from "../support/control.ts";
import { confirmsSince, expectNothingLeft, outputRef, removeStagingBranches } from "../support/outcome.ts";
import type { SeenRequest } from "../support/proxy.ts";
import { until } from "../support/until.ts";

const bench = await createBench({
  tasks: ["files"],
  label: "supersede",
  tree: { "work/a.txt": "a", "work/sub/b.txt": "b", "work-old/x": "outside", "elsewhere.txt": "outside" },
  isProtected: true,
});
const { run, repository, input, conductor } = bench;
/** The protected target of the test. */
let branch: string;

/** A task's COMPLETED result on the wire. */
function isCompleted({ method, path, body }: SeenRequest): boolean {
  return method === "POST" && path.endsWith("/tasks") && body.includes(`"status":"COMPLETED"`);
}

beforeEach(async () => {
  branch = await repository.newBranch("protected", input);
});

describe("a publication whose report is lost", () => {
  test("fault D12, rule P2, case L02: the retry publishes over it, exactly its own folder, and then ends COMPLETED", async () => {
    const host = await bench.host();
    const control = await createControl(run);
    conductor.meddle((request) => (isCompleted(request) ? { kind: "drop_request" } : undefined));
    const params = control.params(
      [
        { do: "write", path: "only-first.txt", content: "first" },
        { do: "write", path: "a.txt", content: "first" },
        { do: "remove", path: "sub/b.txt" },
      ],
      [{ do: "write", path: "a.txt", content: "second" }],
    );
    const workflowId = await run.startTask("files", { repository, ref: input, branch, params });

    const first = await until("the first attempt has published", async () => {
      const [commit] = await confirmsSince(repository, input, branch);
      return commit;
    });
    expect(first.metadata).toMatchObject({ "perago.supersedes": "", "perago.retry_count": "0" });
    expect(await repository.tree(first.id, "work/")).toEqual({ "work/a.txt": "first", "work/only-first.txt": "first" });
    await untilTask(workflowId, ["TIMED_OUT"], { decide: true, retryCount: 0 });
    conductor.meddle();

    const ended = await untilEnded(workflowId, { decide: true });
    expect(ended.status).toBe("COMPLETED");
    const [newest, oldest, ...others] = await confirmsSince(repository, input, branch);
    expect(others).toEqual([]);
    expect(oldest?.id).toBe(first.id);
    expect(newest?.parents).toEqual([first.id]);
    expect(newest?.metadata).toMatchObject({
      "perago.supersedes": first.id,
      "perago.expected_head": first.id,
      "perago.input_ref": input,
      "perago.retry_count": "1",
      "perago.logical_task_key": first.metadata["perago.logical_task_key"],
    });
    const retried = ended.tasks.at(-1);
    expect(retried && outputRef(retried)).toBe(newest?.id);
    // Exact: what only the first attempt wrote is gone, what only it removed is back, nothing outside has changed.
    expect(await repository.tree(branch)).toEqual({
      ...(await repository.tree(input)),
      "work/a.txt": "second",
    });
    await expectNothingLeft(repository, host);
  });

  test("fault D12, case L02: a retry that makes the same bytes still publishes, with a commit that says what it supersedes", async () => {
    await bench.host();
    const control = await createControl(run);
    conductor.meddle((request) => (isCompleted(request) ? { kind: "drop_request" } : undefined));
    const params = control.params([{ do: "write", path: "a.txt", content: "same" }]);
    const workflowId = await run.startTask("files", { repository, ref: input, branch, params });
    await untilTask(workflowId, ["TIMED_OUT"], { decide: true, retryCount: 0 });
    conductor.meddle();
    const ended = await untilEnded(workflowId, { decide: true });
    expect(ended.status).toBe("COMPLETED");
    const [newest, first, ...others] = await confirmsSince(repository, input, branch);
    expect(others).toEqual([]);
    expect(newest?.metadata["perago.supersedes"]).toBe(first?.id);
    expect(await repository.tree(branch)).toEqual({ ...(await repository.tree(input)), "work/a.txt": "same" });
  });

  test("rule P2: merged, then the worker dies: nothing is sent again, and the next attempt on another host supersedes it", async () => {
    const doomed = await bench.host();
    const control = await createControl(run);
    conductor.meddle((request) => (isCompleted(request) ? { kind: "drop_request" } : undefined));
    const params = control.params(
      [{ do: "write", path: "from-the-dead.txt", content: "1" }],
      [{ do: "write", path: "from-the-living.txt", content: "2" }],
    );
    const workflowId = await run.startTask("files", { repository, ref: input, branch, params });
    const first = await until(
      "the first attempt has published",
      async () => (await confirmsSince(repository, input, branch))[0],
    );
    await doomed.kill();
    conductor.meddle();
    onTestFinished(() => removeStagingBranches(repository));
    const heir = await bench.host(doomed.home);
    const ended = await untilEnded(workflowId, { decide: true });
    expect(ended.status).toBe("COMPLETED");
    const [newest] = await confirmsSince(repository, input, branch);
    expect(newest?.parents).toEqual([first.id]);
    expect(newest?.metadata["perago.supersedes"]).toBe(first.id);
    expect(await repository.tree(branch, "work/")).toEqual({
      ...(await repository.tree(input, "work/")),
      "work/from-the-living.txt": "2",
    });
    expect((await heir.stop()).exitCode).toBe(0);
  });
});

test("case R06: a result that comes after the response time-out is dropped by the engine, said loudly, and undone by nobody", async () => {
  const host = await bench.host();
  const control = await createControl(run);
  const released = Promise.withResolvers<void>();
  let isFirst = true;
  conductor.meddle((request) => {
    if (!isCompleted(request) || !isFirst) return undefined;
    isFirst = false;
    return { kind: "delay_request", until: released.promise };
  });
  const params = control.params([{ do: "write", path: "a.txt", content: "late" }]);
  const workflowId = await run.startTask("files", { repository, ref: input, branch, params });
  const late = await untilTask(workflowId, ["TIMED_OUT"], { decide: true, retryCount: 0 });
  const [published] = await confirmsSince(repository, input, branch);
  expect(published?.metadata["perago.task_id"]).toBe(late.taskId);
  released.resolve();
  await until("the dropped result is logged", async () => (await host.logText()).includes("result_dropped"));
  expect((await getTask(late.taskId)).status).toBe("TIMED_OUT");
  const ended = await untilEnded(workflowId, { decide: true });
  expect(ended.status).toBe("COMPLETED");
  const [newest, first] = await confirmsSince(repository, input, branch);
  expect(first?.id).toBe(published?.id);
  expect(newest?.metadata["perago.supersedes"]).toBe(published?.id);
});
