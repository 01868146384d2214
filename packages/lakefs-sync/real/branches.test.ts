import { expect, test } from "vitest";
import { failureFrom } from "../test/fake-http.ts";
import { LakefsClient } from "../src/client/client.ts";
import { realBench, realConnection } from "./server.ts";

const { client, repository, put, commitMain } = await realBench();
await put("a", "1");
const start = await commitMain("start");

test("case G05 rule T1: hidden branches are listed on demand only, and deleting twice is success", async () => {
  for (const name of ["perago-stg-aa-1", "perago-stg-aa-2", "perago-stg-bb-1"]) {
    await client.createBranch(repository, { name, sourceCommitId: start, hidden: true });
  }
  const names = async (prefix: string, showHidden: boolean): Promise<string[]> =>
    (await client.listBranches(repository, { prefix, showHidden })).map((branch) => branch.id);
  expect(await names("perago-stg-aa-", true)).toEqual(["perago-stg-aa-1", "perago-stg-aa-2"]);
  expect(await names("perago-stg-", false)).toEqual([]);
  for (let round = 0; round < 2; round += 1) await client.deleteBranch(repository, "perago-stg-aa-1");
  expect(await names("perago-stg-aa-", true)).toEqual(["perago-stg-aa-2"]);
});

test("rule P6: a head found by listing is the one that getBranch answers, at once after it moved", async () => {
  await client.createBranch(repository, { name: "head", sourceCommitId: start });
  await client.createBranch(repository, { name: "head-2", sourceCommitId: start, hidden: true });
  for (let round = 0; round < 5; round += 1) {
    const { id } = await client.commit(repository, "head", { message: `${round}`, allowEmpty: true });
    expect(await client.findBranch(repository, "head")).toEqual({ id: "head", commit_id: id });
    expect(await client.getBranch(repository, "head")).toMatchObject({ commit_id: id });
  }
  expect(await client.findBranch(repository, "head-2")).toMatchObject({ commit_id: start });
  for (const name of ["hea", "head-"]) {
    await expect(client.findBranch(repository, name)).rejects.toMatchObject({ code: "not_found" });
  }
});

test("fault B9: a branch name that is taken is never adopted without a lost answer", async () => {
  await client.createBranch(repository, { name: "taken", sourceCommitId: start });
  const error = await failureFrom(() => client.createBranch(repository, { name: "taken", sourceCommitId: start }));
  expect(error).toMatchObject({ code: "already_exists", outcome: "refused" });
});

test("fault E1: no changes, a dirty target, a bad ref and a conflict are told apart", async () => {
  const merge = { sourceRef: start, destinationBranch: "main", message: "m", metadata: {}, squashMerge: true };
  expect(await failureFrom(() => client.mergeIntoBranch(repository, merge))).toMatchObject({ code: "no_changes" });
  expect(await failureFrom(() => client.commit(repository, "main", { message: "m" }))).toMatchObject({
    code: "no_changes",
  });
  expect(
    await failureFrom(() => client.mergeIntoBranch(repository, { ...merge, sourceRef: "0".repeat(64) })),
  ).toMatchObject({
    code: "not_found",
  });
  await client.createBranch(repository, { name: "left", sourceCommitId: start });
  await put("a", "left", "left");
  const left = await client.commit(repository, "left", { message: "left" });
  await put("dirt", "x");
  expect(await failureFrom(() => client.mergeIntoBranch(repository, { ...merge, sourceRef: left.id }))).toMatchObject({
    code: "dirty",
  });
  await put("a", "right");
  await commitMain("right");
  expect(await failureFrom(() => client.mergeIntoBranch(repository, { ...merge, sourceRef: left.id }))).toMatchObject({
    code: "conflict",
    outcome: "refused",
  });
});

test("case A09: a write to a protected branch says so, once the rule bites", async () => {
  await client.createBranch(repository, { name: "guarded", sourceCommitId: start });
  await client.setBranchProtectionRules(repository, [{ pattern: "guarded" }]);
  expect(await client.getBranchProtectionRules(repository)).toEqual([{ pattern: "guarded" }]);
  await expect
    .poll(
      () =>
        put("x", "y", "guarded").then(
          () => "",
          (error: { code: string }) => error.code,
        ),
      { timeout: 30_000 },
    )
    .toBe("protected_branch");
});

test("wrong credentials are named as that", async () => {
  const wrong = new LakefsClient({ ...realConnection(), secretAccessKey: "wrong" });
  expect(await failureFrom(() => wrong.getRepository(repository))).toMatchObject({ code: "unauthorized", status: 401 });
  await wrong.close();
});

test("rule C1: a merge of the staging commit id carries its metadata and stands on the head", async () => {
  await client.createBranch(repository, {
    name: "stage",
    sourceCommitId: (await client.getBranch(repository, "main")).commit_id,
  });
  await put("b", "1", "stage");
  const head = (await client.getBranch(repository, "main")).commit_id;
  const staged = await client.commitOnce(repository, "stage", {
    message: "s",
    metadata: { k: "v" },
    baseCommitId: head,
  });
  const metadata = { "perago.phase": "confirm", "perago.supersedes": "" };
  const merge = {
    sourceRef: staged.id,
    destinationBranch: "main",
    message: "c",
    metadata,
    squashMerge: true,
    allowEmpty: true,
  };
  const { reference } = await client.mergeIntoBranch(repository, merge);
  const commit = await client.getCommit(repository, reference);
  expect(commit.parents).toEqual([head]);
  expect(commit.metadata).toMatchObject(metadata);
});
