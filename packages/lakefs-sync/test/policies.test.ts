import { expect, test } from "vitest";
import { LakefsClient } from "../src/client/client.ts";
import { isAllowed, readPolicy } from "./policy.ts";

const REPOSITORY = "arn:lakefs:fs:::repository/songs";
const STAGING = `${REPOSITORY}/branch/perago-stg-0123456789abcdef-t-0-e`;
const TARGET = `${REPOSITORY}/branch/main`;
const COMMIT = `${REPOSITORY}/branch/${"a".repeat(64)}`;
const OBJECT = `${REPOSITORY}/object/audio/a.wav`;

type Right = readonly [action: string, resource: string];

/** What each operation of the client asks for, read in lakeFS 1.84's controller. An attempt needs all of these. */
const NEEDS: Readonly<Record<string, readonly Right[]>> = {
  // Anybody may: no right is looked at.
  healthCheck: [],
  readServerTime: [],
  getConfig: [["fs:ReadConfig", "*"]],
  getRepository: [["fs:ReadRepository", REPOSITORY]],
  getBranchProtectionRules: [["branches:GetBranchProtectionRules", REPOSITORY]],
  getBranch: [["fs:ReadBranch", TARGET]],
  listBranches: [["fs:ListBranches", REPOSITORY]],
  findBranch: [["fs:ListBranches", REPOSITORY]],
  walkBranches: [["fs:ListBranches", REPOSITORY]],
  createBranch: [["fs:CreateBranch", STAGING]],
  deleteBranch: [["fs:DeleteBranch", STAGING]],
  diffBranch: [["fs:ListObjects", REPOSITORY]],
  getCommit: [["fs:ReadCommit", REPOSITORY]],
  // The log of a commit id asks for the right to read a *branch* of that name (rule P6).
  logCommits: [["fs:ReadBranch", COMMIT]],
  commit: [["fs:CreateCommit", STAGING]],
  commitOnce: [
    ["fs:CreateCommit", STAGING],
    ["fs:ReadBranch", STAGING],
    ["fs:ReadCommit", REPOSITORY],
  ],
  diffRefs: [["fs:ListObjects", REPOSITORY]],
  // The right to commit on the destination: who may merge may commit. Branch protection parts the two.
  mergeIntoBranch: [["fs:CreateCommit", TARGET]],
  listObjects: [["fs:ListObjects", REPOSITORY]],
  statObject: [["fs:ReadObject", OBJECT]],
  getObject: [["fs:ReadObject", OBJECT]],
  uploadObject: [["fs:WriteObject", OBJECT]],
  presignedReadAddress: [["fs:ReadObject", OBJECT]],
  abilitiesOf: [
    ["fs:ReadConfig", "*"],
    ["fs:ReadRepository", REPOSITORY],
  ],
  getPhysicalAddress: [["fs:WriteObject", OBJECT]],
  linkPhysicalAddress: [["fs:WriteObject", OBJECT]],
  createPresignMultipartUpload: [["fs:WriteObject", OBJECT]],
  uploadPart: [["fs:WriteObject", OBJECT]],
  completePresignMultipartUpload: [["fs:WriteObject", OBJECT]],
  abortPresignMultipartUpload: [["fs:WriteObject", OBJECT]],
  updateObjectUserMetadata: [["fs:WriteObject", OBJECT]],
  deleteObject: [["fs:DeleteObject", OBJECT]],
  deleteObjects: [["fs:DeleteObject", OBJECT]],
};
/** Operations that no host calls: scripts, tests and `perago dev` do. */
const FOR_TOOLS = ["createRepository", "deleteRepository", "setBranchProtectionRules"];

const rows = Object.entries(NEEDS).flatMap(([operation, rights]) =>
  rights.map((right) => [operation, ...right] as const),
);

test("every operation of the client has its rights, or is no host's", () => {
  const operations = Object.getOwnPropertyNames(LakefsClient.prototype).filter(
    (name) => name !== "constructor" && name !== "close",
  );
  expect([...Object.keys(NEEDS), ...FOR_TOOLS].toSorted()).toEqual(operations.toSorted());
});

test.each(rows)("the worker's policy allows %s: %s on %s", (_operation, action, resource) => {
  expect(isAllowed(readPolicy("worker"), action, resource)).toBe(true);
});

test.each([
  ["fs:CreateCommit", `${REPOSITORY}/branch/other`],
  ["fs:CreateCommit", "arn:lakefs:fs:::repository/other/branch/main"],
  ["fs:CreateBranch", `${REPOSITORY}/branch/feature`],
  ["fs:DeleteBranch", TARGET],
  ["fs:WriteObject", `${REPOSITORY}/object/_lakefs_actions/perago-hard-fence-main.yaml`],
  ["fs:DeleteObject", `${REPOSITORY}/object/_lakefs_actions/perago-hard-fence-main.yaml`],
  ["fs:ReadObject", "arn:lakefs:fs:::repository/other/object/a"],
  ["fs:RevertBranch", TARGET],
  ["fs:CreateTag", `${REPOSITORY}/tag/v1`],
  ["fs:DeleteRepository", REPOSITORY],
  ["branches:SetBranchProtectionRules", REPOSITORY],
  ["auth:CreateCredentials", "arn:lakefs:auth:::user/perago"],
])("the worker's policy refuses %s on %s", (action, resource) => {
  expect(isAllowed(readPolicy("worker"), action, resource)).toBe(false);
});

test("rule T6: who installs the fence may write below _lakefs_actions/ and nowhere else", () => {
  const policy = readPolicy("fence-install");
  const action = `${REPOSITORY}/object/_lakefs_actions/perago-hard-fence-main.yaml`;
  for (const right of ["fs:ReadObject", "fs:WriteObject"]) {
    expect(isAllowed(policy, right, action)).toBe(true);
    expect(isAllowed(policy, right, OBJECT)).toBe(false);
  }
  expect(isAllowed(policy, "fs:CreateBranch", `${REPOSITORY}/branch/perago-fence-1`)).toBe(true);
  expect(isAllowed(policy, "fs:CreateCommit", TARGET)).toBe(true);
  expect(isAllowed(policy, "fs:DeleteBranch", TARGET)).toBe(false);
});

test.each(["worker", "fence-install"] as const)("every right of %s.json is one that something needs", (name) => {
  const needed = new Set(rows.map(([, action]) => action));
  const given = readPolicy(name).statement.flatMap((statement) => statement.action);
  expect(given.filter((action) => !needed.has(action))).toEqual([]);
});
