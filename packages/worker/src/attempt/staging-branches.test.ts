import { expect, test } from "vitest";
import { AttemptError } from "../failure.ts";
import type { TargetStore } from "./ports/target-store.ts";
import { stagingBranches } from "./staging-branches.ts";

const asked = { repository: "songs", branch: "perago-stg-a", base: "c1" };

/** A store that tells what it was asked, and whose creations end when the test says so. */
function slowStore(): { store: () => TargetStore; calls: string[]; creations: PromiseWithResolvers<void>[] } {
  const calls: string[] = [];
  const creations: PromiseWithResolvers<void>[] = [];
  const store: Pick<TargetStore, "createStagingBranch" | "deleteStagingBranch"> = {
    createStagingBranch(_, name, base) {
      calls.push(`create ${name} at ${base}`);
      const creation = Promise.withResolvers<void>();
      creations.push(creation);
      return creation.promise;
    },
    deleteStagingBranch(_, name) {
      calls.push(`delete ${name}`);
      return Promise.resolve();
    },
  };
  return { store: () => store as TargetStore, calls, creations };
}

test("rule T1: a branch that was begun is waited for, and made once", async () => {
  const { store, calls, creations } = slowStore();
  const branches = stagingBranches(store);
  await branches.open(asked);
  let isMade = false;
  const made = branches.made(asked).then(() => (isMade = true));
  expect(isMade).toBe(false);
  creations[0]?.resolve();
  await made;
  expect(calls).toEqual(["create perago-stg-a at c1"]);
});

test("rule T1: a branch of another name is made when it is asked for", async () => {
  const { store, calls, creations } = slowStore();
  const branches = stagingBranches(store);
  await branches.open(asked);
  const made = branches.made({ ...asked, branch: "perago-stg-b", base: "c2" });
  creations[1]?.resolve();
  await made;
  expect(calls).toEqual(["create perago-stg-a at c1", "create perago-stg-b at c2"]);
});

test("rule X1: a branch on its way is deleted when it is there, not before", async () => {
  const { store, calls, creations } = slowStore();
  const branches = stagingBranches(store);
  await branches.open(asked);
  const removed = branches.remove(asked);
  await Promise.resolve();
  expect(calls).toEqual(["create perago-stg-a at c1"]);
  creations[0]?.resolve();
  await removed;
  expect(calls).toEqual(["create perago-stg-a at c1", "delete perago-stg-a"]);
});

test("rule X1: a beginning that failed is told where the branch is needed, and keeps no deletion", async () => {
  const { store, calls, creations } = slowStore();
  const branches = stagingBranches(store);
  await branches.open(asked);
  const failure = new AttemptError({ code: "server_unavailable", message: "away", hint: "" });
  creations[0]?.reject(failure);
  await expect(branches.made(asked)).rejects.toBe(failure);
  await branches.remove(asked);
  expect(calls.at(-1)).toBe("delete perago-stg-a");
});
