import { stagingBranchName } from "@perago/fence";
import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { decideBranch, type BranchFate, type FoundBranch } from "./branch-fate.ts";
import { STAGING_NAMES } from "./branch-store.ts";
import { DAY_MS, NOW_MS, stagingName } from "./testing/memory-branches.ts";

const name = stagingName("exec1");
const closer = { isHidden: true, hasTryCommit: false };
const mark = { "perago.phase": "try", "perago.staging_branch": name };

function branch(
  ageMs: number,
  change: Partial<FoundBranch> = {},
  metadata: Record<string, string> = mark,
): FoundBranch {
  const creationDate = Math.floor((NOW_MS - ageMs) / 1000);
  return { name, head: { id: "h", parents: ["b"], metadata, creationDate }, seenSinceMs: NOW_MS, ...change };
}

function fate(found: FoundBranch, held: readonly string[] = []): BranchFate {
  return decideBranch({ branch: found, nowMs: NOW_MS, ttlMs: 7 * DAY_MS, isHeld: (each) => held.includes(each) });
}

describe("rule X3: which branch a sweep removes", () => {
  test("rule X3: a staging branch goes when its staging commit is older than the TTL, and not before", () => {
    expect(fate(branch(7 * DAY_MS + 1000))).toEqual({ kind: "remove", ageMs: 7 * DAY_MS + 1000 });
    expect(fate(branch(7 * DAY_MS))).toMatchObject({ kind: "keep", why: "young" });
    expect(fate(branch(-DAY_MS))).toMatchObject({ kind: "keep", why: "young", ageMs: 0 });
  });

  test("rule X3, fault A9: what an execution of this host holds stays, however old", () => {
    expect(fate(branch(900 * DAY_MS), [name])).toMatchObject({ kind: "keep", why: "held" });
  });

  test("rule X3: without a staging commit the age counts from when the branch was first met, never from its base", () => {
    const old = { seenSinceMs: NOW_MS - 8 * DAY_MS };
    expect(fate(branch(400 * DAY_MS, {}, {}))).toMatchObject({ kind: "keep", why: "young", ageMs: 0 });
    expect(fate(branch(400 * DAY_MS, old, {}))).toEqual({ kind: "look_closer" });
    expect(fate(branch(400 * DAY_MS, { ...old, closer }, {}))).toEqual({ kind: "remove", ageMs: 8 * DAY_MS });
    expect(fate(branch(NOW_MS, old, mark)), "a commit without a time").toMatchObject({ kind: "remove" });
    expect(fate(branch(NOW_MS, {}, mark))).toMatchObject({ kind: "keep", why: "young" });
  });

  test("rule X3: a branch that somebody made, or commits to, is not Perago's, whatever its name", () => {
    const old = { seenSinceMs: NOW_MS - 8 * DAY_MS };
    const other = { "perago.phase": "try", "perago.staging_branch": stagingName("exec2") };
    const confirm = { ...mark, "perago.phase": "confirm" };
    for (const metadata of [{}, other, confirm]) {
      for (const seen of [
        { ...closer, isHidden: false },
        { ...closer, hasTryCommit: true },
      ]) {
        const found = branch(400 * DAY_MS, { ...old, closer: seen }, metadata);
        expect(fate(found)).toMatchObject({ kind: "keep", why: "not_ours" });
      }
    }
  });

  test("rule T1: the names that a sweep lists are those of staging branches", () => {
    const parts = { logicalTaskKey: "k", taskId: "t", retryCount: 0, executionId: "e" };
    expect(stagingBranchName(parts).startsWith(STAGING_NAMES)).toBe(true);
  });

  const anyName = fc.oneof(fc.string(), fc.constantFrom("main", "perago-stg-", "perago-stg-x", `${name}.`, `x${name}`));
  property.prop([anyName, fc.nat(), fc.nat(), fc.boolean()])(
    "rule X3: no branch of another name ever goes",
    (other, ageMs, seenSinceMs, isHidden) => {
      const metadata = { ...mark, "perago.staging_branch": other };
      const seen = { isHidden, hasTryCommit: false };
      expect(fate({ ...branch(ageMs * DAY_MS, { seenSinceMs, closer: seen }, metadata), name: other }).kind).toBe(
        "keep",
      );
    },
  );
});
