import { expect, onTestFinished, test } from "vitest";
import { createBench } from "../support/bench.ts";
import { untilEnded, untilTask } from "../support/conductor.ts";
import { actionFile, hookRuns, startWebhook, type Webhook } from "../support/hooks.ts";
import { confirmsSince, expectNothingLeft, failureCode, outputRef, removeStagingBranches } from "../support/outcome.ts";
import { onlyNth } from "../support/proxy.ts";
import { isMerge } from "../support/requests.ts";
import { until } from "../support/until.ts";

/** Merge timeout of the task `brisk`. */
const MERGE_TIMEOUT_MS = 1000;

const bench = await createBench({ tasks: ["files", "once", "brisk"], label: "asked", tree: { "work/a.txt": "a" } });
const { repository, lakefs } = bench;
const change = [{ do: "write", path: "a.txt", content: "published" }] as const;

interface Target {
  readonly webhook: Webhook;
  readonly branch: string;
  readonly ref: string;
}

/** A target whose merges are told to a webhook before or after. */
async function askedTarget(event: "pre-merge" | "post-merge"): Promise<Target> {
  const webhook = await startWebhook();
  const branch = await repository.newBranch(event, bench.input);
  const action = actionFile({ event, branches: `${event}-*`, hook: { webhook: webhook.url } });
  return { webhook, branch, ref: await repository.commitTree(action, branch) };
}

/** Starts an attempt that publishes one change. */
async function publish(task: string, { branch, ref }: Target): Promise<string> {
  return (await bench.start(task, { branch, ref }, change)).workflowId;
}

test("case L09, rule C5: the record that a refused merge leaves is on no branch, and the retry's fence does not see it", async () => {
  const target = await askedTarget("pre-merge");
  target.webhook.answer((index) => (index === 0 ? 500 : 200));
  const workflowId = await publish("files", target);
  const refused = await untilTask(workflowId, ["FAILED", "COMPLETED"], { retryCount: 0 });
  expect(failureCode(refused)).toBe("hook_refused");
  const dangling = await repository.client.getCommit(repository.name, target.webhook.calls[0]?.commit_id ?? "");
  expect(dangling.parents).toEqual([target.ref]);
  expect(dangling.metadata).toMatchObject({ "perago.phase": "confirm", "perago.task_id": refused.taskId });
  const ended = await untilEnded(workflowId, { decide: true });
  expect(ended.status).toBe("COMPLETED");
  const confirms = await confirmsSince(repository, target.ref, target.branch);
  expect(confirms.map(({ metadata }) => metadata["perago.retry_count"])).toEqual(["1"]);
  // Nothing to supersede: what was never on the target was never published.
  expect(confirms[0]?.metadata["perago.supersedes"]).toBe("");
  expect(confirms[0]?.parents).toEqual([target.ref]);
  await expectNothingLeft(repository, await bench.host());
});

test("case L09, rule C5: where the refusal's answer is lost, that record is no proof of publication either", async () => {
  const target = await askedTarget("pre-merge");
  target.webhook.answer(() => 500);
  lakefs.meddle(onlyNth(0, isMerge, { kind: "drop_answer" }));
  onTestFinished(() => removeStagingBranches(repository));
  const failed = await untilTask(await publish("once", target), ["FAILED", "COMPLETED"]);
  expect(failureCode(failed)).toBe("publish_unknown");
  const dangling = await repository.client.getCommit(repository.name, target.webhook.calls[0]?.commit_id ?? "");
  expect(dangling.metadata["perago.task_id"]).toBe(failed.taskId);
  expect(await repository.head(target.branch)).toBe(target.ref);
});

test("case L10: a post-merge hook that fails changes nothing: COMPLETED, and nobody claims that hooks passed", async () => {
  const target = await askedTarget("post-merge");
  target.webhook.answer(() => 500);
  const task = await untilTask(await publish("once", target), ["FAILED", "COMPLETED"]);
  expect(outputRef(task)).toBe(await repository.head(target.branch));
  await until("lakeFS keeps the failed run", async () => {
    const [run] = (await hookRuns(repository)).filter(({ branch }) => branch === target.branch);
    return run?.status === "failed";
  });
  expect(target.webhook.calls).toHaveLength(1);
  const host = await bench.host();
  await expectNothingLeft(repository, host);
  const logged = (await host.logText()).split("\n").filter((line) => line.includes(task.taskId));
  expect(logged.join("\n")).toContain("attempt completed");
  expect(JSON.stringify([task.outputData, logged])).not.toMatch(/hook/i);
});

test("fault D9, case L11, case L07, rule C4: a pre-merge hook slower than the merge timeout is an unknown outcome, and the retry publishes", async () => {
  const target = await askedTarget("pre-merge");
  const released = Promise.withResolvers<number>();
  target.webhook.answer((index) => (index === 0 ? released.promise : 200));
  const workflowId = await publish("brisk", target);
  const failed = await untilTask(workflowId, ["FAILED", "COMPLETED"], { retryCount: 0 });
  expect(failureCode(failed)).toBe("publish_unknown");
  expect(failed.reasonForIncompletion).not.toMatch(/not published/i);
  expect(failed.endTime - failed.startTime).toBeGreaterThanOrEqual(MERGE_TIMEOUT_MS);
  released.resolve(200);
  const ended = await untilEnded(workflowId, { decide: true });
  expect(ended.status).toBe("COMPLETED");
  // The cut merge may still land; then a retry supersedes it, the next one where it lands while the first one stages.
  const [newest, ...earlier] = await confirmsSince(repository, target.ref, target.branch);
  const [last, ...before] = ended.tasks.filter(({ retryCount }) => retryCount > 0).toReversed();
  expect(newest?.metadata["perago.retry_count"]).toBe(String(last?.retryCount));
  expect(before.every((task) => failureCode(task) === "publish_fence")).toBe(true);
  expect(earlier.every(({ id }) => id === newest?.metadata["perago.supersedes"])).toBe(true);
  expect(outputRef(last ?? failed)).toBe(newest?.id);
  await removeStagingBranches(repository);
});
