import { describe, expect, test } from "vitest";
import { untilEnded, untilTask } from "../support/conductor.ts";
import { publishAsAnother } from "../bad-input/forge.ts";
import { createBench } from "../support/bench.ts";
import { confirmsSince, expectNothingLeft, failureCode } from "../support/outcome.ts";
import { isMerge, isStagingCommit } from "../support/requests.ts";
import { until } from "../support/until.ts";

const TREE = { "work/a.txt": "a", "elsewhere.txt": "outside" };

const bench = await createBench({ tasks: ["once"], label: "foreign", tree: TREE, isProtected: true });
const { repository, input, lakefs } = bench;
/** The target of the test. */
let branch: string;

/** A protected one takes data by merges only; an open one takes all. */
async function newTarget(kind: "protected" | "open"): Promise<void> {
  branch = await repository.newBranch(kind, input);
}

describe("rule P3: a foreign commit on the target refuses", () => {
  test("rule P3, rule P5: one that is there already is refused before the body, and the target stays as it was", async () => {
    await newTarget("protected");
    const foreign = await repository.mergeTree({ "work/theirs.txt": "theirs" }, branch);
    const { host, control, workflowId } = await bench.start("once", { branch }, [
      { do: "write", path: "ours.txt", content: "ours" },
    ]);
    const refused = await untilTask(workflowId, ["FAILED", "COMPLETED", "FAILED_WITH_TERMINAL_ERROR"]);
    expect(failureCode(refused)).toBe("publish_fence");
    expect(refused.status).toBe("FAILED");
    expect(refused.reasonForIncompletion).toContain(foreign);
    expect(await control.runs()).toEqual([]);
    expect(await repository.head(branch)).toBe(foreign);
    await expectNothingLeft(repository, host);
  });

  test("fault D2, rule P3: one that comes while the body runs is refused after it, and nothing is staged", async () => {
    await newTarget("protected");
    const { host, control, workflowId } = await bench.start("once", { branch }, [
      { do: "write", path: "ours.txt", content: "ours" },
      { do: "tell", name: "working" },
      { do: "hold", name: "go on" },
    ]);
    await control.heard("working");
    const foreign = await repository.mergeTree({ "elsewhere.txt": "theirs" }, branch);
    await control.tell("go on");
    const refused = await untilTask(workflowId, ["FAILED", "COMPLETED"]);
    expect(failureCode(refused)).toBe("publish_fence");
    expect(await repository.head(branch)).toBe(foreign);
    await expectNothingLeft(repository, host);
  });

  test("rule P5: one that comes between staging and merge is refused: the last evaluation follows no moved head", async () => {
    await newTarget("open");
    const released = Promise.withResolvers<void>();
    lakefs.meddle((request) =>
      isStagingCommit(request) ? { kind: "delay_request", until: released.promise } : undefined,
    );
    const { host, workflowId } = await bench.start("once", { branch }, [
      { do: "write", path: "ours.txt", content: "ours" },
    ]);
    await until("the staging commit is on its way", () => lakefs.requests.some(isStagingCommit));
    const foreign = await repository.mergeTree({ "work/theirs.txt": "theirs" }, branch);
    released.resolve();
    const refused = await untilTask(workflowId, ["FAILED", "COMPLETED"]);
    expect(failureCode(refused)).toBe("publish_fence");
    expect(lakefs.requests.some(isMerge)).toBe(false);
    expect(await repository.head(branch)).toBe(foreign);
    await expectNothingLeft(repository, host);
  });
});

test("rule P5: the last evaluation follows no moved head, not even an own one that P2 would publish over", async () => {
  await newTarget("open");
  const released = Promise.withResolvers<void>();
  lakefs.meddle((request) =>
    isStagingCommit(request) ? { kind: "delay_request", until: released.promise } : undefined,
  );
  const { host, workflowId } = await bench.start("once", { branch }, [{ do: "write", path: "a.txt", content: "ours" }]);
  await until("the staging commit is on its way", () => lakefs.requests.some(isStagingCommit));
  // An earlier delivery's merge lands late.
  const task = await untilTask(workflowId, ["IN_PROGRESS"]);
  const earlier = { laterMs: -5000, taskId: "earlier" };
  const own = await publishAsAnother({ repository, branch, input }, task, earlier, { "work/a.txt": "earlier" });
  released.resolve();
  const refused = await untilTask(workflowId, ["FAILED", "COMPLETED"]);
  expect(failureCode(refused)).toBe("publish_fence");
  expect(lakefs.requests.some(isMerge)).toBe(false);
  expect(await repository.head(branch)).toBe(own);
  await expectNothingLeft(repository, host);
});

test("rule P2: an own earlier publication that is there before the staging is published over", async () => {
  await newTarget("open");
  const { control, workflowId } = await bench.start("once", { branch }, [
    { do: "tell", name: "working" },
    { do: "hold", name: "go on" },
    { do: "write", path: "b.txt", content: "ours" },
  ]);
  await control.heard("working");
  const task = await untilTask(workflowId, ["IN_PROGRESS"]);
  const earlier = { laterMs: -5000, taskId: "earlier" };
  const own = await publishAsAnother({ repository, branch, input }, task, earlier, { "work/a.txt": "earlier" });
  await control.tell("go on");
  expect((await untilEnded(workflowId)).status).toBe("COMPLETED");
  const [newest] = await confirmsSince(repository, input, branch);
  expect(newest?.metadata["perago.supersedes"]).toBe(own);
  expect(await repository.tree(branch)).toEqual({ ...TREE, "work/b.txt": "ours" });
});

describe("the head moves after the fence has pinned it (soft fence)", () => {
  /** Starts an attempt whose merge waits before lakeFS, does something to the target, and lets the merge go on. */
  async function raceTheMerge(meanwhile: () => Promise<string>) {
    await newTarget("open");
    const released = Promise.withResolvers<void>();
    lakefs.meddle((request) => (isMerge(request) ? { kind: "delay_request", until: released.promise } : undefined));
    const { host, workflowId } = await bench.start("once", { branch }, [
      { do: "write", path: "a.txt", content: "ours" },
    ]);
    await until("the merge is on its way", () => lakefs.requests.some(isMerge));
    const theirs = await meanwhile();
    released.resolve();
    const ended = await untilTask(workflowId, ["FAILED", "COMPLETED"]);
    return { host, theirs, ended };
  }

  test("fault D1, rule C6, rule C7: the published commit shows the lost race; it is FAILED publish_race, said loudly, and not rolled back", async () => {
    const { host, theirs, ended } = await raceTheMerge(() =>
      repository.mergeTree({ "work/theirs.txt": "theirs" }, branch),
    );
    expect(failureCode(ended)).toBe("publish_race");
    const [landed, ...others] = await confirmsSince(repository, input, branch);
    expect(others).toEqual([]);
    expect(landed?.parents).toEqual([theirs]);
    expect(landed?.metadata["perago.expected_head"]).toBe(input);
    expect(await repository.head(branch)).toBe(landed?.id);
    expect(await host.logText()).toContain("publish_race");
    await expectNothingLeft(repository, host);
  });

  test("case L05: a real conflict is merge_conflict, and the head that moved stays", async () => {
    const { host, theirs, ended } = await raceTheMerge(() => repository.mergeTree({ "work/a.txt": "theirs" }, branch));
    expect(failureCode(ended)).toBe("merge_conflict");
    expect(await repository.head(branch)).toBe(theirs);
    await expectNothingLeft(repository, host);
  });
});

test("case L05: uncommitted changes on the target are target_dirty, and nobody commits or resets them", async () => {
  await newTarget("open");
  await repository.put({ "elsewhere.txt": "somebody's work" }, branch);
  const { host, workflowId } = await bench.start("once", { branch }, [{ do: "write", path: "a.txt", content: "ours" }]);
  const refused = await untilTask(workflowId, ["FAILED", "COMPLETED"]);
  expect(failureCode(refused)).toBe("target_dirty");
  expect(await repository.head(branch)).toBe(input);
  // Read by the branch's name, lakeFS shows what is uncommitted.
  expect(await repository.tree(branch)).toEqual({ ...TREE, "elsewhere.txt": "somebody's work" });
  await expectNothingLeft(repository, host);
});

test("rule P1: the same target without a foreign commit takes the publication", async () => {
  await newTarget("protected");
  const { workflowId } = await bench.start("once", { branch }, [{ do: "write", path: "ours.txt", content: "ours" }]);
  expect((await untilEnded(workflowId)).status).toBe("COMPLETED");
  const [confirm] = await confirmsSince(repository, input, branch);
  expect(confirm?.parents).toEqual([input]);
  expect(confirm?.metadata["perago.supersedes"]).toBe("");
});
