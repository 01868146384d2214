import { describe, expect, test } from "vitest";
import type { OwnDelivery, PublishRefusal } from "./publish-decision.ts";
import { PublishFenceError } from "./publish-fence-error.ts";

const refusal: PublishRefusal = {
  kind: "refuse",
  code: "publish_fence",
  rule: "P3",
  reason: "foreign_commit",
  head: "head-1",
  commit: { id: "c7", message: "fix a typo", committer: "alice" },
};

describe("PublishFenceError", () => {
  test("rule R3: names who wrote what stands there, and the protected head to start from", () => {
    const error = new PublishFenceError(refusal);
    expect(error).toMatchObject({ name: "PublishFenceError", code: "publish_fence", reason: "foreign_commit" });
    expect(error.message).toBe('a foreign commit since the input commit: c7 by alice "fix a typo"; head head-1');
    expect(error.hint).toBe("start a new workflow whose input ref is the protected head head-1");
  });

  test("rule P8: a newer delivery has its own code and no new workflow is asked for", () => {
    const error = new PublishFenceError({
      ...refusal,
      code: "superseded_by_newer",
      rule: "P8",
      reason: "newer_delivery",
    });
    expect(error.code).toBe("superseded_by_newer");
    expect(error.hint).toBe("nothing to do: the newer delivery's output stands");
  });

  test("rule P9: a delivery that cannot be adopted is already_published", () => {
    const commit = { id: "c9", parents: ["c8"], metadata: {} };
    const own: OwnDelivery = { kind: "own_delivery", rule: "P9", head: "c9", commit, isHead: true, races: [] };
    const error = new PublishFenceError(own);
    expect(error).toMatchObject({ code: "already_published", reason: "already_published" });
    expect(error.message).toContain(": c9; head c9");
  });

  test("a refusal without a commit still says what and where", () => {
    const { commit: _, ...bare } = refusal;
    expect(new PublishFenceError({ ...bare, reason: "input_ref_not_found" }).message).toBe(
      "the input commit is not in the target's first-parent log; head head-1",
    );
  });

  test("other people's words are one short line without control characters", () => {
    const message = `evil\n{"level":60}\u001b[31m\u202e${"🎵".repeat(500)}`;
    const error = new PublishFenceError({ ...refusal, commit: { id: "c7", message, committer: "a\r\nb" } });
    expect(error.message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(error.message.isWellFormed()).toBe(true);
    expect(error.message.length).toBeLessThan(400);
  });
});
