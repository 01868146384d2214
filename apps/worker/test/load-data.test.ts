import { expect, test } from "vitest";

import type { Lakefs } from "../scripts/lib/lakefs.ts";
import { listData, loadData } from "../scripts/lib/load-data.ts";

const TARGET = { repository: "songs", branch: "main", storageNamespace: "local://songs" };

interface FakeLakefs extends Lakefs {
  /** Objects of every branch. */
  readonly branches: Map<string, Map<string, string>>;
  readonly merges: string[];
  readonly protectedBranches: Set<string>;
}

/** A lakeFS of one repository in memory. Uploads of `failingPath` are refused. */
function fakeLakefs(failingPath?: string): FakeLakefs {
  const branches = new Map<string, Map<string, string>>();
  const merges: string[] = [];
  const protectedBranches = new Set<string>();
  const objects = (branch: string) => branches.get(branch) ?? new Map<string, string>();
  const differs = (branch: string) => JSON.stringify([...objects(branch)]) !== JSON.stringify([...objects("main")]);
  return {
    branches,
    merges,
    protectedBranches,
    blockstoreType: async () => "local",
    createRepository: async (_, __, branch) => {
      if (branches.has(branch)) return false;
      branches.set(branch, new Map());
      return true;
    },
    getBranch: async () => `head-${merges.length}`,
    createBranch: async (_, branch, source) => void branches.set(branch, new Map(objects(source))),
    deleteBranch: async (_, branch) => void branches.delete(branch),
    uploadObject: async (_, branch, path, bytes) => {
      if (path === failingPath) throw new Error(`refused ${path}`);
      objects(branch).set(path, bytes.toString("base64"));
    },
    hasChanges: async (_, branch) => differs(branch),
    commit: async (_, branch) => branch,
    merge: async (_, source, branch) => {
      branches.set(branch, new Map(objects(source)));
      merges.push(source);
      return `head-${merges.length}`;
    },
    protectBranch: async (_, branch) => void protectedBranches.add(branch),
  };
}

test("a first load makes the repository, brings everything by one merge and protects the branch", async () => {
  const lakefs = fakeLakefs();
  expect(await loadData(lakefs, TARGET)).toEqual({ head: "head-1", isNew: true });
  expect([...lakefs.branches.keys()]).toEqual(["main"]);
  expect([...(lakefs.branches.get("main")?.keys() ?? [])]).toEqual(await listData());
  expect([...lakefs.protectedBranches]).toEqual(["main"]);
});

test("a second load of the same data makes no commit", async () => {
  const lakefs = fakeLakefs();
  await loadData(lakefs, TARGET);
  expect(await loadData(lakefs, TARGET)).toEqual({ head: "head-1", isNew: false });
  expect(lakefs.merges).toHaveLength(1);
});

test("a load that fails leaves the branch as it was and no other branch", async () => {
  const lakefs = fakeLakefs("catalog/songs.json");
  await expect(loadData(lakefs, TARGET)).rejects.toThrow("refused catalog/songs.json");
  expect([...lakefs.branches.keys()]).toEqual(["main"]);
  expect(lakefs.merges).toEqual([]);
});
