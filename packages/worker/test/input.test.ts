import { describe, expect, test } from "vitest";
import { execute, inputFor, type ExecutionEnd } from "./world/execution.ts";
import { MemoryConductor } from "./world/memory-conductor.ts";
import { MemoryLakefs } from "./world/memory-lakefs.ts";

function world(): { lakefs: MemoryLakefs; conductor: MemoryConductor } {
  return { lakefs: new MemoryLakefs({ "data/a": "1" }), conductor: new MemoryConductor() };
}

function code(end: ExecutionEnd): string {
  const { outcome } = end.done;
  return outcome.kind === "failed" ? outcome.failure.code : outcome.kind;
}

async function refusal(
  input: unknown,
): Promise<{ code: string; reason: string; status: string; phases: readonly string[] }> {
  const { lakefs, conductor } = world();
  const head = lakefs.head();
  const end = await execute({ lakefs, conductor }, { input });
  expect(lakefs.head()).toBe(head);
  expect(lakefs.stagingBranches()).toEqual([]);
  return {
    code: code(end),
    reason: conductor.current.reason ?? "",
    status: conductor.current.status,
    phases: end.phases,
  };
}

const good = { repository: "repo", branch: "main", refType: "commit", ref: "a".repeat(64) };

describe("rule I1: the workspace input", () => {
  test("rule I1, I5: what is malformed is terminal before anything is asked", async () => {
    for (const workspace of [
      null,
      "main",
      { ...good, repository: "" },
      { ...good, extra: 1 },
      { ...good, refType: "branch" },
    ]) {
      const seen = await refusal({ workspace, params: {} });
      expect(seen).toMatchObject({ code: "input_invalid", status: "FAILED_WITH_TERMINAL_ERROR" });
      expect(seen.phases).not.toContain("resolve");
    }
  });

  test("rule I1: other top-level keys are ignored", async () => {
    const { lakefs, conductor } = world();
    const input = { ...(inputFor(lakefs.head()) as object), _correlation: "x" };
    expect(code(await execute({ lakefs, conductor }, { input }))).toBe("completed");
  });

  test("rule I4: a branch name, HEAD~1 or a short id is refused by its form as ref_invalid", async () => {
    for (const ref of ["main", "main~1", "abc1234", "A".repeat(64), "g".repeat(64)]) {
      const seen = await refusal({ workspace: { ...good, ref }, params: {} });
      expect(seen).toMatchObject({ code: "ref_invalid", status: "FAILED_WITH_TERMINAL_ERROR" });
      expect(seen.reason).toContain(ref.slice(0, 20));
    }
  });

  test("rule I4: a prefix of at least 8 digits is read as the full id from then on", async () => {
    const lakefs = new MemoryLakefs({ "data/a": "1" });
    const conductor = new MemoryConductor();
    const end = await execute(
      { lakefs, conductor },
      { input: inputFor(lakefs.head().slice(0, 8)), body: (f) => void f.set("data/b", "2") },
    );
    expect(code(end)).toBe("completed");
    expect(lakefs.commits.get(lakefs.head())?.metadata["perago.input_ref"]).toHaveLength(64);
  });

  test("rule I4: an unknown commit is ref_invalid", async () => {
    expect(await refusal({ workspace: good, params: {} })).toMatchObject({ code: "ref_invalid" });
  });

  test("rule I6: null says that it is probably an unresolved expression", async () => {
    const seen = await refusal({ workspace: { ...good, ref: null }, params: {} });
    expect(seen.reason).toContain("null, probably an unresolved expression");
  });

  test("rule I6: an input stored outside the engine is refused with that reason (case J10)", async () => {
    const { lakefs, conductor } = world();
    const polled = { ...conductor.poll({}), externalInputPath: "x/y.json" };
    const end = await execute({ lakefs, conductor }, { polled });
    expect(code(end)).toBe("input_invalid");
    expect(conductor.current.reason).toContain("stored outside the engine");
    expect(conductor.current.reason).not.toContain("missing");
  });

  test("rule I3: params that the task's schema refuses are terminal, and nothing is read", async () => {
    const { lakefs, conductor } = world();
    const message = "params.minRows: expected a number";
    const ports = ({ executor }: { executor: object }) => ({
      executor: { ...executor, validate: () => Promise.resolve({ ok: false, message }) } as never,
    });
    const end = await execute({ lakefs, conductor }, { ports });
    expect(code(end)).toBe("input_invalid");
    expect(conductor.current.reason).toContain(message);
    expect(lakefs.calls).toEqual([]);
  });
});

describe("rule I7: the targets that a host works with", () => {
  async function attempt(branch: string, allowedTargets: readonly string[] | undefined, readOnly = false) {
    const { lakefs, conductor } = world();
    const workspace = { ...good, branch, ref: lakefs.head() };
    const end = await execute(
      { lakefs, conductor },
      {
        input: { workspace, params: {} },
        workspace: { prefix: "data/", readOnly, hasPostGuardrails: false },
        ...(allowedTargets === undefined ? {} : { facts: { allowedTargets } }),
      },
    );
    return { code: code(end), lakefs, phases: end.phases, ...conductor.current };
  }

  test.for([
    ["another branch", ["repo/other"]],
    ["another repository", ["other/main", "rep/main"]],
    ["a pattern that ends too soon", ["repo/mai", "repo/m?", "re?/main"]],
    ["a pattern in other letters", ["repo/MAIN"]],
    ["no pattern at all", []],
  ] as const)("rule I7: %s is terminal before anything is read", async ([, allowedTargets]) => {
    const seen = await attempt("main", allowedTargets);
    expect(seen).toMatchObject({ code: "target_not_allowed", status: "FAILED_WITH_TERMINAL_ERROR" });
    expect(seen.reason).toMatch(/^target_not_allowed: the target repo\/main .* \| .*PERAGO_ALLOWED_TARGETS/);
    expect(seen.lakefs.calls).toEqual([]);
    expect(seen.phases).not.toContain("validate");
    expect((await attempt("main", allowedTargets, true)).code).toBe("target_not_allowed");
  });

  test.for([
    ["no setting", undefined],
    ["the target itself", ["other/main", "repo/main"]],
    ["any branch of the repository", ["repo/*"]],
    ["any repository, and letters within a name", ["*/ma?n"]],
  ] as const)("rule I7: %s lets the attempt through", async ([, allowedTargets]) => {
    expect(await attempt("main", allowedTargets)).toMatchObject({ code: "completed", status: "COMPLETED" });
  });

  test("rule I7: a staging branch is never a target, whatever the setting says", async () => {
    const branch = "perago-stg-0123456789abcdef-task-0-exec1";
    for (const allowedTargets of [undefined, ["*/*"], [`repo/${branch}`]]) {
      const seen = await attempt(branch, allowedTargets);
      expect(seen).toMatchObject({ code: "target_not_allowed", status: "FAILED_WITH_TERMINAL_ERROR" });
      expect(seen.reason).toContain("is a staging branch of Perago");
      expect(seen.lakefs.calls).toEqual([]);
    }
  });
});
