import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createBench, type Started } from "../support/bench.ts";
import { startWorkflow, untilEnded, untilTask, type EngineTask } from "../support/conductor.ts";
import { createControl } from "../support/control.ts";
import { confirmsSince, expectNothingLeft, failureCode, outputRef, stagingBranches } from "../support/outcome.ts";
import { onlyNth, type SeenRequest } from "../support/proxy.ts";
import { isDownload, isHeadOf, isStagingCommit, isStagingDiff } from "../support/requests.ts";
import { until } from "../support/until.ts";

const TREE = { "work/a.txt": "a", "work/b.txt": "b", "other/x": "theirs" };

const bench = await createBench({ tasks: ["files", "once"], label: "staging", tree: TREE });
const { run, repository, input, lakefs } = bench;
const change = [{ do: "write", path: "a.txt", content: "ours" }] as const;

interface Refused {
  readonly task: EngineTask;
  readonly branch: string;
}

/** Runs an attempt in which one request waits while something happens; it must publish nothing and leave nothing. */
async function refusedAfter(
  waits: (request: SeenRequest, branch: string) => boolean,
  meanwhile: (started: Started) => Promise<void>,
  nth = 0,
): Promise<Refused> {
  const branch = await repository.newBranch("refused", input);
  const isIt = (request: SeenRequest): boolean => waits(request, branch);
  const released = Promise.withResolvers<void>();
  lakefs.meddle(onlyNth(nth, isIt, { kind: "delay_request", until: released.promise }));
  const started = await bench.start("once", { branch }, change);
  await until("the request waits", () => lakefs.requests.filter(isIt).length > nth, { everyMs: 10 });
  await meanwhile(started);
  released.resolve();
  const task = await untilTask(started.workflowId, ["FAILED", "COMPLETED", "FAILED_WITH_TERMINAL_ERROR"]);
  expect(task.status).toBe("FAILED");
  expect(await repository.head(branch)).toBe(input);
  await expectNothingLeft(repository, started.host);
  return { task, branch };
}

/** The only staging branch that is there. */
async function theStagingBranch(): Promise<string> {
  const [branch, ...others] = await stagingBranches(repository);
  expect(others).toEqual([]);
  return branch ?? "";
}

/** Removes the bytes of an object behind lakeFS' back, as its garbage collection does. */
async function loseData(ref: string, path: string): Promise<void> {
  const { physical_address: address } = await repository.client.statObject(repository.name, ref, path);
  // The local block store's addresses are paths.
  expect(address).toMatch(/^local:\/\/\//);
  await rm(fileURLToPath(address.replace(/^local:/, "file:")));
}

describe("case L04, rule T1: a staging branch serves one execution", () => {
  test("case L04: a branch that is used again after a squash merge conflicts with its own publication", async () => {
    const { client, name } = repository;
    const target = await repository.newBranch("reused-target", input);
    const source = await repository.newBranch("reused", input);
    const merge = async (content: string) => {
      const sourceRef = await repository.commitTree({ "work/a.txt": content }, source);
      const merged = { sourceRef, destinationBranch: target, message: "again", metadata: {}, squashMerge: true };
      return client.mergeIntoBranch(name, merged);
    };
    await merge("one");
    await expect(merge("two")).rejects.toMatchObject({ code: "conflict" });
  });

  test("case L04: three steps that publish the same file have three branches and no conflict", async () => {
    const host = await bench.host();
    const branch = await repository.newBranch("chain", input);
    const workspace = { repository: repository.name, branch, refType: "commit" };
    const steps = ["one", "two", "three"].map((ref, index, all) => {
      const before = all[index - 1];
      const from = before === undefined ? input : `\${${before}.output.workspace.ref}`;
      const stepInput = { workspace: { ...workspace, ref: from }, params: `\${workflow.input.${ref}}` };
      return { task: "once", ref, input: stepInput };
    });
    const params = ["one", "two", "three"].map(async (ref) => {
      const control = await createControl(run);
      return [ref, control.params([{ do: "write", path: "a.txt", content: ref }])] as const;
    });
    const name = await run.workflow("chain", steps);
    const ended = await untilEnded(await startWorkflow(name, Object.fromEntries(await Promise.all(params))));
    expect(ended.tasks.map(({ status }) => status)).toEqual(["COMPLETED", "COMPLETED", "COMPLETED"]);
    const confirms = await confirmsSince(repository, input, branch);
    expect(confirms.map(({ id }) => id)).toEqual(ended.tasks.map(outputRef).toReversed());
    expect(new Set(confirms.map(({ metadata }) => metadata["perago.staging_branch"])).size).toBe(3);
    expect(await repository.tree(branch)).toEqual({ ...TREE, "work/a.txt": "three" });
    await expectNothingLeft(repository, host);
  });
});

test("case L12: an attempt publishes the moment after a protection rule is made, and when it bites", async () => {
  const branch = await repository.newBranch("soon", input);
  await repository.client.setBranchProtectionRules(repository.name, [{ pattern: branch }]);
  const first = await untilTask((await bench.start("once", { branch }, change)).workflowId, ["FAILED", "COMPLETED"]);
  expect(outputRef(first)).toBe(await repository.head(branch));
  await repository.untilProtected(branch);
  await expect(repository.put({ "other/x": "by hand" }, branch)).rejects.toMatchObject({ code: "protected_branch" });
  const ref = outputRef(first);
  const again = [{ do: "write", path: "a.txt", content: "again" }] as const;
  const { workflowId, host } = await bench.start("once", { branch, ref }, again);
  const second = await untilTask(workflowId, ["FAILED", "COMPLETED"]);
  expect(outputRef(second)).toBe(await repository.head(branch));
  expect((await confirmsSince(repository, input, branch)).map(({ id }) => id)).toEqual([outputRef(second), ref]);
  await expectNothingLeft(repository, host);
});

test.for(["other/x", "work/theirs.txt"])(
  "case L14, rule T13: what another client writes to the staging branch is never published: %s",
  async (key) => {
    const { task } = await refusedAfter(isStagingCommit, async () => {
      await repository.put({ [key]: "not ours" }, await theStagingBranch());
    });
    expect(failureCode(task)).toBe("workspace_unstageable");
    expect(task.reasonForIncompletion).toContain(key);
  },
);

test("case L20, rule T3, rule T8: a file that changes after the guardrails have judged it fails the attempt", async () => {
  // The second look at the head comes after the guardrails and before anything is staged.
  const headRead = (request: SeenRequest, branch: string): boolean => isHeadOf(branch)(request);
  const { task } = await refusedAfter(
    headRead,
    async ({ control }) => {
      const [body] = await control.runs();
      await writeFile(join(body?.workspace ?? "", "a.txt"), "judged by nobody");
    },
    1,
  );
  expect(failureCode(task)).toBe("workspace_unstageable");
  expect(task.reasonForIncompletion).toContain("a.txt");
});

describe("data that leaves the storage", () => {
  const moments = [
    { moment: "between upload and commit", waits: isStagingCommit },
    { moment: "between commit and merge", waits: isStagingDiff },
  ];
  test.for(moments)("case G01: an upload whose data is gone $moment is noticed before the merge", async ({ waits }) => {
    const { task } = await refusedAfter(waits, async () => loseData(await theStagingBranch(), "work/a.txt"));
    expect(failureCode(task)).toBe("server_unavailable");
    expect(task.reasonForIncompletion).toMatch(/the data of "work\/a\.txt" left the storage .*garbage collection/);
  });

  test("case G02, rule I5: a commit whose data is gone is terminal, names key and commit, and is asked for once", async () => {
    const branch = await repository.newBranch("collected", input);
    const ref = await repository.commitTree({ "work/lost.txt": "soon gone" }, branch);
    await loseData(ref, "work/lost.txt");
    const { control, host, workflowId } = await bench.start("files", { branch, ref }, change);
    const ended = await untilEnded(workflowId);
    expect(ended.tasks.map(({ status }) => status)).toEqual(["FAILED_WITH_TERMINAL_ERROR"]);
    const [task] = ended.tasks;
    expect(task && failureCode(task)).toBe("input_invalid");
    expect(task?.reasonForIncompletion).toContain(`"work/lost.txt" at commit ${ref} is gone (garbage collection)`);
    const asked = lakefs.requests.filter((request) => isDownload(request) && request.query.includes("lost.txt"));
    expect(asked).toHaveLength(1);
    expect(await control.runs()).toEqual([]);
    await expectNothingLeft(repository, host);
  });
});
