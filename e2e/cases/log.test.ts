import { expect, test } from "vitest";
import { publishRow } from "../bad-input/forge.ts";
import { createBench } from "../support/bench.ts";
import { rerun, untilEnded, untilTask, untilWorkflow, type EngineTask } from "../support/conductor.ts";
import { confirmsSince, expectNothingLeft, failureCode } from "../support/outcome.ts";
import { isLogPage } from "../support/requests.ts";

/** Commits that the publish fence walks at most (rule P2). */
const WALK_LIMIT = 1024;
/** What a test of the fence may take between start and refusal; two pages of a log take some 15 ms. */
const FENCE_MS = 5000;

const bench = await createBench({ tasks: ["once"], label: "log", tree: { "work/a.txt": "a" } });
const { repository, input, lakefs } = bench;
const change = { do: "write", path: "a.txt", content: "ours" } as const;
const hold = [{ do: "tell", name: "working" }, { do: "hold", name: "go on" }, change] as const;

/** Reruns a task that has ended; returns it when it has ended again. */
async function ranAgain({ workflowInstanceId: workflowId, taskId, scheduledTime }: EngineTask): Promise<EngineTask> {
  await rerun(workflowId, taskId);
  return untilWorkflow(workflowId, "the rerun has ended", ({ status, tasks: [again] }) => {
    return status !== "RUNNING" && again?.scheduledTime !== scheduledTime && again;
  });
}

test("case L22, rule P2, rule P3: 1000 foreign commits are refused within seconds; 1024 own ones are published over, 1025 fail closed", async () => {
  const branch = await repository.newBranch("own", input);
  const { workflowId, control, host } = await bench.start("once", { branch }, hold, [change]);
  await control.heard("working");
  const task = await untilTask(workflowId, ["IN_PROGRESS"]);
  const target = { repository, branch, input };
  const publishMore = (count: number): Promise<string> =>
    publishRow(target, task, { laterMs: -5000, taskId: "earlier" }, { tree: { "work/a.txt": String(count) }, count });
  const thousandth = await publishMore(1000);
  const head = await publishMore(WALK_LIMIT - 1000);
  await control.tell("go on");
  const published = (await untilEnded(workflowId)).tasks[0] ?? task;
  expect(published.status, published.reasonForIncompletion ?? "").toBe("COMPLETED");
  const [newest] = await confirmsSince(repository, input, branch);
  expect(newest?.metadata["perago.supersedes"]).toBe(head);

  const refused = await ranAgain(published);
  expect(failureCode(refused)).toBe("publish_fence");
  expect(refused.reasonForIncompletion).toContain(String(WALK_LIMIT));
  expect(await repository.head(branch)).toBe(newest?.id);
  expect(await control.runs()).toHaveLength(1);

  // Another workflow's logical task is another one: the same commits are foreign to it.
  await repository.createBranch("foreign", thousandth);
  lakefs.forget();
  const other = await bench.start("once", { branch: "foreign" }, [change]);
  const late = await untilTask(other.workflowId, ["FAILED", "COMPLETED"]);
  expect(failureCode(late)).toBe("publish_fence");
  expect(late.reasonForIncompletion).toContain(thousandth);
  expect(late.endTime - late.startTime).toBeLessThan(FENCE_MS);
  // By pages, with a stop point, and without a filter, which lakeFS answers slowly.
  const pages = lakefs.requests.filter(isLogPage);
  expect(pages).toHaveLength(2);
  for (const { query } of pages) {
    expect(query).toContain("first_parent=true");
    expect(query).toContain(`stop_at=${input}`);
    expect(query).not.toMatch(/prefixes=|objects=/);
  }
  await expectNothingLeft(repository, host);
});
