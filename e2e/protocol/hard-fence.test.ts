import { LakefsError } from "@perago/lakefs-sync";
import { beforeAll, describe, expect, test } from "vitest";
import { untilTask } from "../support/conductor.ts";
import { createBench } from "../support/bench.ts";
import { confirmsSince, expectNothingLeft, failureCode, stagingBranches } from "../support/outcome.ts";
import { until } from "../support/until.ts";

const bench = await createBench({ tasks: ["once"], label: "fenced", tree: { "work/a.txt": "a" }, isProtected: true });
const { run, repository, input, lakefs } = bench;
/** lakeFS keeps a branch's list of actions for up to 7.5 s: how long until an exclusive fence is seen there. */
const CACHE_TIMEOUT_MS = 15_000;

const target = (branch: string): string => `lakefs://${repository.name}/${branch}`;

async function fencedTarget(kind: string, ...flags: string[]): Promise<{ branch: string; head: string }> {
  const branch = await repository.newBranch(kind, input);
  const installed = await run.perago(["fence", "install", target(branch), ...flags]);
  expect(installed.stdout, installed.stderr).toContain("the hard fence is in force");
  return { branch, head: await repository.head(branch) };
}

let putCount = 0;
const putAgain = (branch: string): Promise<void> => repository.put({ "by-hand.txt": String((putCount += 1)) }, branch);

/** A commit beside the target; what merges it gives, or the words of who refuses. */
async function merge(branch: string, metadata: Record<string, string>): Promise<string> {
  const side = await repository.newBranch("side", await repository.head(branch));
  const sourceRef = await repository.commitTree({ "side.txt": side }, side);
  try {
    const sent = { sourceRef, destinationBranch: branch, message: "m", metadata, squashMerge: true };
    return (await repository.client.mergeIntoBranch(repository.name, sent)).reference;
  } catch (error) {
    if (error instanceof LakefsError && error.code === "hook_refused") return error.message;
    throw error;
  }
}

describe("rule H1: what the action lets pass, on the server", () => {
  let branch = "";
  let head = "";
  beforeAll(async () => ({ branch, head } = await fencedTarget("protected")));

  test("rule H1: a confirm merge from the wrong head, or without one, is refused with both heads in its words", async () => {
    const wrong = "f".repeat(64);
    const refused = await merge(branch, { "perago.phase": "confirm", "perago.expected_head": wrong });
    expect(refused).toContain(`perago hard fence: the head of ${branch} is ${head}, the merge expects ${wrong}`);
    expect(await merge(branch, { "perago.phase": "confirm" })).toContain("the merge expects nil");
    expect(await repository.head(branch)).toBe(head);
  });

  test("rule H1: from the right head it passes, and merges that people make pass", async () => {
    const right = await merge(branch, { "perago.phase": "confirm", "perago.expected_head": head });
    expect(await repository.head(branch)).toBe(right);
    const byHand = await merge(branch, {});
    expect(await repository.head(branch)).toBe(byHand);
  });

  test("rule H1: other branches are not fenced", async () => {
    const other = await repository.newBranch("free", await repository.head(branch));
    expect(await merge(other, { "perago.phase": "confirm" })).toBe(await repository.head(other));
  });
});

test("rule H1, fault D4: the exclusive fence refuses merge, commit, revert and cherry-pick of people; staging goes on", async () => {
  const { branch, head } = await fencedTarget("exclusive", "--exclusive");
  expect(await merge(branch, {})).toContain(`${branch} takes merges of Perago only`);
  await putAgain(branch);
  const commit = async (): Promise<boolean> => {
    try {
      await repository.commit("by hand", branch);
      return false;
    } catch (error) {
      return error instanceof LakefsError && error.message.includes("takes merges of Perago only");
    }
  };
  // Until lakeFS has read the branch's actions again, commits by hand still land: only then the others are tried.
  const patience = { timeoutMs: CACHE_TIMEOUT_MS };
  await until("a commit by hand is refused", async () => (await commit()) || (await putAgain(branch), false), patience);
  await repository.remove(["by-hand.txt"], branch);
  const side = await repository.newBranch("side", await repository.head(branch));
  const picked = await repository.commitTree({ "picked.txt": "1" }, side);
  await expect(repository.cherryPick(picked, branch)).rejects.toThrow("takes merges of Perago only");
  await expect(repository.revert(head, branch)).rejects.toThrow("takes merges of Perago only");
  const now = await repository.head(branch);
  const started = await bench.start("once", { branch, ref: now }, [{ do: "write", path: "b.txt", content: "b" }]);
  expect((await untilTask(started.workflowId, ["COMPLETED", "FAILED"])).reasonForIncompletion ?? "").toBe("");
  await expectNothingLeft(repository, started.host);
});

test("rule H1, fault D1: a foreign commit between pin and merge is refused, and the reason names it; nothing lands", async () => {
  const { branch, head } = await fencedTarget("protected");
  const isMerge = ({ path }: { path: string }): boolean => path.endsWith(`/merge/${branch}`);
  const go = Promise.withResolvers<void>();
  lakefs.meddle((request) => (isMerge(request) ? { kind: "delay_request", until: go.promise } : undefined));
  const started = await bench.start("once", { branch, ref: head }, [{ do: "write", path: "b.txt", content: "b" }]);
  await until("the merge is on its way", () => lakefs.requests.some(isMerge));
  const theirs = await repository.mergeTree({ "work/theirs.txt": "1" }, branch);
  go.resolve();
  const failed = await untilTask(started.workflowId, ["COMPLETED", "FAILED"]);
  expect(failureCode(failed)).toBe("publish_fence");
  expect(failed.reasonForIncompletion).toContain(`moved from ${head} to ${theirs} (by `);
  expect(failed.reasonForIncompletion).toContain("by hand");
  expect(failed.reasonForIncompletion).toContain("the hard fence refused the merge");
  expect(await repository.head(branch)).toBe(theirs);
  expect(await confirmsSince(repository, head, branch)).toEqual([]);
  await expectNothingLeft(repository, started.host);
});

test("rule H3, fault D7: verify tells what stands on the target, and its probes leave nothing", async () => {
  const bare = await repository.newBranch("protected", input);
  const missing = await run.perago(["fence", "verify", target(bare), "--json"]);
  expect(missing.exitCode).toBe(1);
  expect(JSON.parse(missing.stdout)).toMatchObject({
    hardFence: { kind: "missing" },
    isEnforced: null,
    isProtected: true,
  });
  const { branch } = await fencedTarget("protected");
  const verified = await run.perago(["fence", "verify", target(branch), "--json"]);
  expect(JSON.parse(verified.stdout)).toMatchObject({ isEnforced: true, isProtected: true, findings: [] });
  expect(verified.exitCode).toBe(0);
  expect(await stagingBranches(repository)).toEqual([]);
});
