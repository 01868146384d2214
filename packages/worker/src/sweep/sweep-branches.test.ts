import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sweepBranches, type BranchSweep, type BranchSweepReport, type SweptBranch } from "./sweep-branches.ts";
import { MEMORY_NAME, openSweepMemory } from "./sweep-memory.ts";
import { DAY_MS, instantClock, MemoryBranches, NOW_MS, stagingName, told } from "./testing/memory-branches.ts";

let root: string;
let lakefs: MemoryBranches;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "perago-sweep-"));
  lakefs = new MemoryBranches();
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

/** One sweep by a sweeper that has just been started: it knows what stands in its file. */
async function sweep(
  change: Partial<BranchSweep> = {},
): Promise<BranchSweepReport & { readonly branches: readonly SweptBranch[] }> {
  const branches: SweptBranch[] = [];
  const report = await sweepBranches({
    store: lakefs.store(),
    repository: "repo",
    ttlMs: 7 * DAY_MS,
    isHeld: () => false,
    memory: openSweepMemory(root, "http://lakefs"),
    clock: instantClock(),
    onBranch: (branch) => branches.push(branch),
    ...change,
  });
  return { ...report, branches };
}

describe("rule X3: a sweep of staging branches", () => {
  test("rule X3, case G03: removes what is ours and old, and nothing else", async () => {
    lakefs.branch("main");
    lakefs.branch("perago-stg-by-hand");
    lakefs.staged("old", 8 * DAY_MS);
    lakefs.staged("young", 6 * DAY_MS);
    lakefs.staged("held", 8 * DAY_MS);
    const held = stagingName("held");
    const { branches, ...report } = await sweep({ isHeld: (name) => name === held });
    expect(report).toEqual({ removedCount: 1, keptCount: 3, failedCount: 0, isCut: false });
    expect(told(branches).toSorted()).toEqual(["hand not_ours", "held held", "old removing", "young young"]);
    expect([...lakefs.branches.keys()].toSorted()).toEqual(
      ["main", "perago-stg-by-hand", stagingName("held"), stagingName("young")].toSorted(),
    );
  });

  test("rule X3, case L15: what was never committed goes when this sweeper has known it for the TTL", async () => {
    const name = lakefs.branch(stagingName("cut"), "base", { uncommitted: ["a", "b"] });
    expect(told((await sweep()).branches)).toEqual(["cut young"]);
    lakefs.timeMs += 7 * DAY_MS;
    expect(told((await sweep()).branches)).toEqual(["cut young"]);
    lakefs.timeMs += 1000;
    const { branches } = await sweep();
    expect(told(branches)).toEqual(["cut removing"]);
    expect(branches[0]?.content).toEqual({ uncommittedCount: 2, moreUncommitted: false, uncommittedPaths: ["a", "b"] });
    expect(lakefs.branches.has(name)).toBe(false);
    await sweep();
    expect(await readFile(join(root, MEMORY_NAME), "utf8")).not.toContain(name);
  });

  test("rule X3: a branch that moves is met anew; so is one whose memory is lost", async () => {
    const name = lakefs.branch(stagingName("cut"));
    await sweep();
    lakefs.timeMs += 8 * DAY_MS;
    lakefs.branch(name, lakefs.commit("by-hand", ["base"], {}, 8 * DAY_MS));
    expect(told((await sweep()).branches)).toEqual(["cut young"]);
    lakefs.timeMs += 8 * DAY_MS;
    await writeFile(join(root, MEMORY_NAME), "{broken");
    expect(told((await sweep()).branches)).toEqual(["cut young"]);
    expect(lakefs.branches.has(name)).toBe(true);
  });

  test("rule X3: a memory of another lakeFS does not count", async () => {
    lakefs.branch(stagingName("cut"));
    await sweep();
    lakefs.timeMs += 8 * DAY_MS;
    const memory = openSweepMemory(root, "http://other");
    expect(told((await sweep({ memory })).branches)).toEqual(["cut young"]);
    expect(told((await sweep()).branches)).toEqual(["cut removing"]);
  });

  test("rule X3, fault D11: what somebody committed upon a staging commit, or made of one, stays", async () => {
    const name = lakefs.staged("used", 20 * DAY_MS);
    lakefs.branch(name, lakefs.commit("upon", ["try-used"], {}, 20 * DAY_MS));
    lakefs.branch(stagingName("copy"), "try-used");
    lakefs.branch(stagingName("shown"), "base", { isHidden: false });
    await sweep();
    lakefs.timeMs += 30 * DAY_MS;
    expect(told((await sweep()).branches).toSorted()).toEqual(["copy not_ours", "shown not_ours", "used not_ours"]);
  });

  test("rule X3: a dry run removes nothing, remembers nothing and says the same", async () => {
    lakefs.staged("old", 8 * DAY_MS);
    lakefs.branch(stagingName("cut"));
    const { branches, removedCount } = await sweep({ dryRun: true });
    expect(told(branches).toSorted()).toEqual(["cut young", "old would_remove"]);
    expect(removedCount).toBe(1);
    expect(lakefs.branches.size).toBe(2);
    await expect(readFile(join(root, MEMORY_NAME))).rejects.toThrow("ENOENT");
  });

  test("case L15, case W14: what a branch held is told before it goes", async () => {
    lakefs.staged("old", 8 * DAY_MS, ["late.txt"]);
    let there = false;
    const { branches } = await sweep({
      onBranch: ({ name, outcome }) => (there = outcome === "removing" && lakefs.branches.has(name)),
    });
    expect(there).toBe(true);
    expect(branches).toEqual([]);
    lakefs.staged("old", 8 * DAY_MS, ["late.txt"]);
    expect((await sweep()).branches[0]?.content).toEqual({
      stagingCommit: "try-old",
      task: "task",
      workflowInstanceId: "wf",
      retryCount: "0",
      uncommittedCount: 1,
      moreUncommitted: false,
      uncommittedPaths: ["late.txt"],
    });
  });

  test("fault K4, case G06: ten thousand branches, page by page, and one that cannot be removed stops nothing", async () => {
    for (let index = 0; index < 10_000; index += 1) lakefs.staged(`e${index}`, 8 * DAY_MS);
    const stuck = stagingName("e5000");
    lakefs.refusing.add(stuck);
    const clock = instantClock();
    const { branches, ...report } = await sweep({ clock });
    expect(report).toEqual({ removedCount: 9999, keptCount: 0, failedCount: 1, isCut: false });
    expect([...lakefs.branches.keys()]).toEqual([stuck]);
    expect(lakefs.calls.filter((call) => call.startsWith("list"))).toHaveLength(10);
    expect(clock.waitedMs).toHaveLength(10_000);
    expect(Math.min(...clock.waitedMs)).toBeGreaterThan(0);
    expect(branches.filter(({ outcome }) => outcome === "failed").map(({ name }) => name)).toEqual([stuck]);
  });

  test("fault A9: a sweep that is ended stops after the branch that it is at", async () => {
    for (const id of ["a", "b", "c"]) lakefs.staged(id, 8 * DAY_MS);
    const ending = new AbortController();
    const report = await sweep({ signal: ending.signal, onBranch: () => ending.abort() });
    expect(report).toMatchObject({ removedCount: 1, isCut: true });
    expect(lakefs.branches.size).toBe(2);
  });

  test("fault F2: only lakeFS' clock counts, not the one of this machine", async () => {
    expect(Math.abs(Date.now() - NOW_MS)).toBeGreaterThan(30 * DAY_MS);
    lakefs.staged("young", DAY_MS);
    expect(told((await sweep()).branches)).toEqual(["young young"]);
  });
});
