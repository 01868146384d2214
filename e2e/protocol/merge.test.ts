import { beforeEach, expect, test } from "vitest";
import { untilEnded, untilTask } from "../support/conductor.ts";
import { createBench, type Started } from "../support/bench.ts";
import {
  confirmsSince,
  expectNothingLeft,
  failureCode,
  outputRef,
  removeStagingBranches,
  stagingBranches,
} from "../support/outcome.ts";
import { onlyNth, type Deed } from "../support/proxy.ts";
import { isMerge } from "../support/requests.ts";

const bench = await createBench({ tasks: ["files"], label: "merge", tree: { "work/a.txt": "a" } });
const { repository, input, lakefs } = bench;
/** The target of the test. */
let branch: string;

beforeEach(async () => {
  branch = await repository.newBranch("target", input);
});

/** One attempt with a change, whose first merge request meets a misfortune. */
function publishThrough(deed: Deed): Promise<Started> {
  lakefs.meddle(onlyNth(0, isMerge, deed));
  return bench.start("files", { branch }, [{ do: "write", path: "a.txt", content: "published" }]);
}

const lost: readonly { readonly how: string; readonly deed: Deed }[] = [
  { how: "the connection ends before the answer", deed: { kind: "drop_answer" } },
  { how: "a proxy says 504 in its place", deed: { kind: "replace_answer", status: 504, body: "gateway time-out" } },
  {
    how: "the answer is 500 predicate failed",
    deed: { kind: "replace_answer", status: 500, body: '{"message":"predicate failed"}' },
  },
];

test.for(lost)(
  "rule C5, case L07: a merge that landed is found on the target where $how: COMPLETED, one confirm commit",
  async ({ deed }) => {
    const { host, control, workflowId } = await publishThrough(deed);
    const ended = await untilEnded(workflowId);
    expect(ended.status).toBe("COMPLETED");
    expect(ended.tasks).toHaveLength(1);
    expect(await control.runs()).toHaveLength(1);
    const confirms = await confirmsSince(repository, input, branch);
    expect(confirms).toHaveLength(1);
    expect(ended.tasks[0] && outputRef(ended.tasks[0])).toBe(confirms[0]?.id);
    // Never a second merge in the same execution: the server would make a second commit of it.
    expect(lakefs.requests.filter(isMerge)).toHaveLength(1);
    await expectNothingLeft(repository, host);
  },
);

test("rule C5, rule X2, case L07: a merge request that got lost is publish_unknown and claims nothing; its branch stays, and the retry publishes", async () => {
  const { host, workflowId } = await publishThrough({ kind: "drop_request" });
  const failed = await untilTask(workflowId, ["FAILED", "COMPLETED"], { retryCount: 0 });
  expect(failureCode(failed)).toBe("publish_unknown");
  expect(failed.reasonForIncompletion).not.toMatch(/not published/i);
  const ended = await untilEnded(workflowId, { decide: true });
  expect(ended.status).toBe("COMPLETED");
  const confirms = await confirmsSince(repository, input, branch);
  expect(confirms.map(({ metadata }) => metadata["perago.retry_count"])).toEqual(["1"]);
  expect(lakefs.requests.filter(isMerge)).toHaveLength(2);
  const kept = (await stagingBranches(repository)).filter((name) => name.includes(failed.taskId));
  expect(kept).toHaveLength(1);
  await expectNothingLeft(repository, host, kept);
  await removeStagingBranches(repository);
});

test("rule C8: a merge that lakeFS is too busy for (429) is tried again inside the budget, and publishes once", async () => {
  const { host, workflowId } = await publishThrough({
    kind: "answer",
    status: 429,
    body: '{"message":"too many tries"}',
  });
  const ended = await untilEnded(workflowId);
  expect(ended.status).toBe("COMPLETED");
  expect(ended.tasks).toHaveLength(1);
  expect(await confirmsSince(repository, input, branch)).toHaveLength(1);
  expect(lakefs.requests.filter(isMerge)).toHaveLength(2);
  await expectNothingLeft(repository, host);
});
