import type { FenceCommit, PublishRefusal, RefusalReason } from "@perago/fence";
import { describe, expect, test } from "vitest";
import { failureReason } from "../src/attempt/machine/reason.ts";
import { refusalOf } from "../src/attempt/machine/refusal.ts";
import type { Common } from "../src/attempt/machine/state.ts";
import { execute } from "./world/execution.ts";
import { MemoryConductor } from "./world/memory-conductor.ts";
import { MemoryLakefs } from "./world/memory-lakefs.ts";

const head = "a".repeat(64);
const culprit = "c".repeat(64);
const input = { repository: "songs", branch: "main", ref: "b".repeat(64) };
const hostile = `tidy up\u001b[31m\r\n\u202e${"x".repeat(5000)}`;

/** The facts of a real execution, so that no field is made up. */
async function common(): Promise<Common> {
  const world = { lakefs: new MemoryLakefs({ "data/a": "1" }), conductor: new MemoryConductor() };
  return (await execute(world)).done;
}

function refusal(reason: RefusalReason, rule: PublishRefusal["rule"], message = hostile): PublishRefusal {
  const code = reason === "newer_delivery" ? "superseded_by_newer" : "publish_fence";
  return {
    kind: "refuse",
    code,
    rule,
    reason,
    head,
    commit: { id: culprit, message, committer: "alice\u0007@example" },
  };
}

const kinds: readonly (readonly [RefusalReason, PublishRefusal["rule"]])[] = [
  ["broken_chain", "P3"],
  ["input_ref_not_found", "P3"],
  ["too_many_commits", "P3"],
  ["foreign_commit", "P3"],
  ["try_commit", "P3"],
  ["missing_metadata", "P3"],
  ["malformed_metadata", "P3"],
  ["other_prefix", "P4"],
  ["publish_race", "P10"],
  ["newer_delivery", "P8"],
];

describe("rule R3: what the publish fence refuses, a person can act on", () => {
  test.for(kinds)(
    "rule R3: %s names rule %s, target, commit, author and message, and the mend whole",
    async ([reason, rule]) => {
      const failure = refusalOf(refusal(reason, rule), [], { ...(await common()), input });
      const text = failureReason(failure, 500);
      expect(text.length).toBeLessThanOrEqual(500);
      expect(text.startsWith(`${failure.code}: rule ${rule} refuses songs/main: `)).toBe(true);
      expect(text).toContain(`${culprit} by alice @example "tidy up [31m xxx`);
      expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(text.endsWith(` | ${failure.hint}`)).toBe(true);
      const mend =
        reason === "newer_delivery"
          ? "nothing to do"
          : `start a new workflow whose input ref is the protected head ${head}`;
      expect(failure.hint).toContain(mend);
    },
  );

  test("rule R3: where little is kept, rule, target and reason are what is kept", async () => {
    const failure = refusalOf(refusal("foreign_commit", "P3"), [], { ...(await common()), input });
    expect(failureReason(failure, 110)).toBe(
      "publish_fence: rule P3 refuses songs/main: a foreign commit since the input commit: ccccccccccccccccccccccc...",
    );
  });

  test("rule P9, rule R3: a delivery that has published says what becomes of it", async () => {
    const commit: FenceCommit = {
      id: culprit,
      parents: [],
      metadata: {},
      message: "perago: confirm",
      committer: "perago",
    };
    const own = { kind: "own_delivery", rule: "P9", head, commit, isHead: false, races: [] } as const;
    const { code, message, hint } = refusalOf(own, [commit], { ...(await common()), input });
    expect(`${code}: ${message}`).toContain("already_published: rule P9 refuses songs/main: this delivery has already");
    expect(message).toContain(`${culprit} by perago "perago: confirm"`);
    expect(hint).toMatch(/^the retry publishes over it; .* the protected head a+$/);
  });

  test("rule R3: a rerun of a step whose successor has published is told so, another workflow's commit is not", async () => {
    const state = { ...(await common()), input };
    const commitOf = (workflowInstanceId: string): FenceCommit => ({
      id: culprit,
      parents: [],
      metadata: { "perago.workflow_instance_id": workflowInstanceId, "perago.logical_task_key": "wf:later:0:task" },
    });
    const mend = (workflowInstanceId: string): string =>
      refusalOf(refusal("foreign_commit", "P3"), [commitOf(workflowInstanceId)], state).hint;
    expect(mend(state.facts.polled.workflowInstanceId)).toContain("a later step of this workflow published it");
    expect(mend("another")).toContain("decide whose data counts");
  });
});
