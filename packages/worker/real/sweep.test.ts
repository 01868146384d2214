import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeTryMetadata, stagingBranchName } from "@perago/fence";
import { LakefsClient, newFileAttributes } from "@perago/lakefs-sync";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTargetStore } from "../src/lakefs/target-store.ts";
import { createBranchStore } from "../src/sweep/branch-store.ts";
import { sweepBranches, type SweptBranch } from "../src/sweep/sweep-branches.ts";
import { openSweepMemory } from "../src/sweep/sweep-memory.ts";
import { systemClock } from "../src/system-clock.ts";

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: run this with the real servers (pnpm test:real)`);
  return value;
}

const HOUR_MS = 3_600_000;
/** No time may pass in a test: every branch is older than this. */
const ANY_AGE_MS = -1;
const lakefs = new LakefsClient({
  endpoint: setting("LAKECTL_SERVER_ENDPOINT_URL"),
  accessKeyId: setting("LAKECTL_CREDENTIALS_ACCESS_KEY_ID"),
  secretAccessKey: setting("LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY"),
});
const store = createTargetStore(lakefs);
let root: string;
let repository: string;
let base: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "perago-real-sweep-"));
  await newRepository();
});
afterAll(async () => {
  await lakefs.close();
  await rm(root, { recursive: true, force: true });
});

async function newRepository(): Promise<void> {
  repository = `sweep-${randomUUID().slice(0, 8)}`;
  await lakefs.createRepository({ name: repository, storageNamespace: `local://${repository}`, defaultBranch: "main" });
  base = (await lakefs.getBranch(repository, "main")).commit_id;
}

async function put(branch: string, path: string, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  const source = { sizeBytes: bytes.length, open: () => bytes };
  await lakefs.uploadObject({ repository, branch, path, source, attributes: newFileAttributes });
}

/** A branch as an execution leaves it that dies before its commit, or after it. */
async function leftBy(executionId: string, dies: "before_commit" | "after_commit"): Promise<string> {
  const parts = { logicalTaskKey: "wf:step:0:task", taskId: "task-1", retryCount: 0, executionId };
  const branch = stagingBranchName(parts);
  await store.createStagingBranch(repository, branch, base);
  await put(branch, "data/a.txt", executionId);
  if (dies === "before_commit") return branch;
  const metadata = encodeTryMetadata({
    ...parts,
    inputRef: base,
    targetBranch: "main",
    prefix: "data/",
    stagingBranch: branch,
    expectedHead: base,
    supersedes: "",
    workflowInstanceId: "wf",
    taskDefName: "task",
    referenceTaskName: "step",
    scheduledTime: 1,
    workerId: "host-a0001",
    writer: "ts/0.0.0",
  });
  await store.commitStaging({ repository, branch, base, message: "perago: try", metadata });
  return branch;
}

async function sweep(ttlMs: number, held: readonly string[] = []): Promise<readonly SweptBranch[]> {
  const branches: SweptBranch[] = [];
  await sweepBranches({
    store: createBranchStore(lakefs),
    repository,
    ttlMs,
    isHeld: (name) => held.includes(name),
    memory: openSweepMemory(root, "real"),
    clock: systemClock,
    onBranch: (branch) => branches.push(branch),
  });
  return branches;
}

async function names(showHidden: boolean): Promise<readonly string[]> {
  return (await lakefs.listBranches(repository, { showHidden })).map(({ id }) => id);
}

test("case G03, case G05: of 100 dead executions no branch is left, hidden as they are, and nothing else goes", async () => {
  await lakefs.createBranch(repository, { name: "perago-stg-notes", sourceCommitId: base });
  const shown = "perago-stg-0123456789abcdef-task-0-shown";
  await lakefs.createBranch(repository, { name: shown, sourceCommitId: base });
  for (let index = 0; index < 100; index += 1)
    await leftBy(`e${index}`, index % 3 === 0 ? "before_commit" : "after_commit");
  const held = await leftBy("held", "after_commit");
  expect((await names(false)).toSorted()).toEqual(["main", "perago-stg-notes", shown].toSorted());
  expect(await names(true)).toHaveLength(104);

  expect((await sweep(HOUR_MS)).every(({ outcome }) => outcome === "kept")).toBe(true);
  expect(await names(true)).toHaveLength(104);
  await sweep(ANY_AGE_MS, [held]);
  expect((await names(true)).toSorted()).toEqual(["main", "perago-stg-notes", shown, held].toSorted());
});

test("case L15, case W14: what the branches held is told, by lakeFS' own clock", async () => {
  await newRepository();
  const cut = await leftBy("cut", "before_commit");
  const committed = await leftBy("done", "after_commit");
  const swept = new Map((await sweep(ANY_AGE_MS)).map((branch) => [branch.name, branch]));
  expect(swept.get(cut)?.content).toMatchObject({ uncommittedCount: 1, uncommittedPaths: ["data/a.txt"] });
  expect(swept.get(committed)?.content).toMatchObject({ task: "task", targetBranch: "main", uncommittedCount: 0 });
  for (const { ageMs = Infinity } of swept.values()) expect(ageMs).toBeLessThan(60_000);
});

test("fault K2: a branch that is taken under its merge leaves no half state: the commit is merged, whole", async () => {
  await newRepository();
  const branch = await leftBy("merging", "after_commit");
  const { commit_id: stagingCommit } = await lakefs.getBranch(repository, branch);
  await sweep(ANY_AGE_MS);
  expect(await names(true)).toEqual(["main"]);
  const metadata = { "perago.phase": "confirm" };
  const sent = { repository, stagingCommit, branch: "main", message: "confirm", metadata, timeoutMs: 30_000 };
  const outcome = await store.merge(sent);
  expect(outcome.kind).toBe("merged");
  const { commit_id: head } = await lakefs.getBranch(repository, "main");
  expect(outcome).toEqual({ kind: "merged", commitId: head });
  expect((await lakefs.getCommit(repository, head)).parents).toEqual([base]);
  expect((await lakefs.statObject(repository, head, "data/a.txt")).size_bytes).toBe("merging".length);
});

test("fault K2: a branch that is taken before its commit fails the execution, and nothing is published", async () => {
  await newRepository();
  const branch = await leftBy("staging", "before_commit");
  await sweep(ANY_AGE_MS);
  const late = { repository, branch, base, message: "perago: try", metadata: {} };
  await expect(store.commitStaging(late)).rejects.toMatchObject({ code: "server_unavailable" });
  expect((await lakefs.getBranch(repository, "main")).commit_id).toBe(base);
});

test("case G06: a pre-delete-branch hook that refuses is told, and does not stop the sweep", async () => {
  await newRepository();
  const hook = [
    "  - id: keep",
    "    type: lua",
    "    properties:",
    "      script: |",
    `        error("branches stay")`,
  ];
  const when = ["on:", "  pre-delete-branch:", `    branches: ["*-aaa"]`];
  await put("main", "_lakefs_actions/keep.yaml", ["name: keep", ...when, "hooks:", ...hook, ""].join("\n"));
  base = (await lakefs.commit(repository, "main", { message: "an action" })).id;
  const stuck = await leftBy("aaa", "after_commit");
  await leftBy("bbb", "after_commit");
  const failed = (await sweep(ANY_AGE_MS)).filter(({ outcome }) => outcome === "failed");
  expect(failed.map(({ name, error }) => [name, String(error)])).toEqual([
    [stuck, expect.stringContaining("branches stay")],
  ]);
  expect((await names(true)).toSorted()).toEqual(["main", stuck].toSorted());
});
