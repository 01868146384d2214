import { describe, expect, test } from "vitest";
import { FAILURE_CODES, AttemptError } from "../src/failure.ts";
import { failureReason } from "../src/attempt/machine/reason.ts";
import { STATUS_OF_CODE } from "../src/attempt/machine/result-table.ts";
import type { BodyOutcome } from "../src/attempt/ports/executor.ts";
import { execute, returned, type ExecutionEnd, type Folder } from "./world/execution.ts";
import { MemoryConductor } from "./world/memory-conductor.ts";
import { MemoryLakefs } from "./world/memory-lakefs.ts";

function world(): { lakefs: MemoryLakefs; conductor: MemoryConductor } {
  return { lakefs: new MemoryLakefs({ "data/a": "1" }), conductor: new MemoryConductor() };
}

function code(end: ExecutionEnd): string {
  const { outcome } = end.done;
  return outcome.kind === "failed" ? outcome.failure.code : outcome.kind;
}

const readOnly = { prefix: "data/", readOnly: true, hasPostGuardrails: false };

describe("rule R1: a read-only workspace", () => {
  test("rule R1: answers the input ref, changes are discarded, and lakeFS is only read", async () => {
    const { lakefs, conductor } = world();
    const end = await execute(
      { lakefs, conductor },
      { workspace: readOnly, body: (folder) => void folder.set("data/b", "2") },
    );
    expect(end.done.outcome).toMatchObject({ kind: "completed", by: "read_only", ref: lakefs.head() });
    expect(lakefs.calls).toEqual(["resolveCommit"]);
    expect(conductor.current.output).toEqual({
      workspace: { repository: "repo", branch: "main", refType: "commit", ref: lakefs.head() },
      result: { rows: 1 },
    });
    expect(end.removed).toBe(true);
  });

  test("rule R1: a foreign commit does not disturb it", async () => {
    const { lakefs, conductor } = world();
    const ref = lakefs.head();
    lakefs.commitForeign({ "data/z": "1" });
    expect(code(await execute({ lakefs, conductor }, { ref, workspace: readOnly }))).toBe("completed");
  });

  test("rule T3: a post guardrail on a read-only workspace is asked too", async () => {
    const { lakefs, conductor } = world();
    const workspace = { ...readOnly, hasPostGuardrails: true };
    expect(code(await execute({ lakefs, conductor }, { workspace, post: ["out.csv is missing"] }))).toBe(
      "guardrail_post",
    );
  });
});

describe("rule R2: a no-op", () => {
  test("rule R2, case L01: an undisturbed first delivery commits nothing, after listing, pin and attempt check", async () => {
    const { lakefs, conductor } = world();
    const head = lakefs.head();
    const end = await execute({ lakefs, conductor });
    expect(end.done.outcome).toMatchObject({ kind: "completed", by: "no_op", ref: head });
    expect(lakefs.head()).toBe(head);
    const from = end.phases.indexOf("listStaging");
    expect(end.phases.slice(from, from + 3)).toEqual(["listStaging", "pinHead", "recheckAttempt"]);
  });

  test("rule R2: equal bytes written again are a no-op (case T05)", async () => {
    const { lakefs, conductor } = world();
    const end = await execute({ lakefs, conductor }, { body: (folder) => void folder.set("data/a", "1") });
    expect(end.done.outcome).toMatchObject({ by: "no_op" });
  });

  test("rule R2: a retry or a redelivery publishes the unchanged projection (C3)", async () => {
    for (const disturb of ["retry", "redelivery"] as const) {
      const { lakefs, conductor } = world();
      const ref = lakefs.head();
      if (disturb === "retry") conductor.retry();
      if (disturb === "redelivery") conductor.poll({});
      const end = await execute({ lakefs, conductor }, { ref });
      expect(end.done.outcome).toMatchObject({ kind: "completed", by: "commit" });
      expect(lakefs.commits.get(lakefs.head())?.parents).toEqual([ref]);
      expect(lakefs.tree(lakefs.head())).toEqual(lakefs.tree(ref));
    }
  });

  test("rule R2: the branch that the execution itself has begun is none of those, and goes (rule X1)", async () => {
    const { lakefs, conductor } = world();
    let begun: readonly string[] = [];
    const before = { listStaging: () => (begun = lakefs.stagingBranches()) };
    const end = await execute({ lakefs, conductor }, { before });
    expect(begun).toHaveLength(1);
    expect(end.done.outcome).toMatchObject({ by: "no_op" });
    expect(lakefs.stagingBranches()).toEqual([]);
  });

  test("rule R2: a staging branch of the same logical task that is listed makes a no-op publish", async () => {
    const { lakefs, conductor } = world();
    const ref = lakefs.head();
    const ports = ({ store }: { store?: object }) => ({
      store: { ...store, listBranches: () => Promise.resolve(["perago-stg-other"]) } as never,
    });
    const end = await execute({ lakefs, conductor }, { ref, ports });
    expect(end.done.outcome).toMatchObject({ by: "commit" });
  });
});

describe("rule R3: the reason", () => {
  test("rule R3: begins with the code and the thing, then the mend, and is cut at a letter border", () => {
    const reason = failureReason({ code: "body_failed", message: "thing", hint: "mend" }, 500);
    expect(reason).toBe("body_failed: thing | mend");
    for (let length = 20; length < 60; length += 1) {
      const cut = failureReason({ code: "body_failed", message: "a👩‍👩‍👧‍👦é".repeat(20), hint: "" }, length);
      expect(cut.length).toBeLessThanOrEqual(length);
      expect(cut.isWellFormed()).toBe(true);
      expect(cut).toMatch(/(?:a|é|👩‍👩‍👧‍👦| )\.\.\.$/u);
    }
  });
});

test("fault J3, rule R3: a long message is cut for the mend, and a mend longer than half is cut with it", () => {
  const failure = { code: "workspace_unstageable", message: "x".repeat(2000), hint: "use shorter names" } as const;
  for (const length of [60, 61, 500]) {
    const reason = failureReason(failure, length);
    expect(reason.length).toBe(length);
    expect(reason).toMatch(/^workspace_unstageable: x+\.\.\. \| use shorter names$/);
  }
  const long = failureReason({ ...failure, message: "thing", hint: "mend ".repeat(200) }, 100);
  expect(long.length).toBe(100);
  expect(long).toMatch(/^workspace_unstageable: thing \| mend .*\.\.\.$/);
});

describe("rule R7: every code leads to one status", () => {
  test("rule R7: only input, target, pre guardrail and a terminal body are terminal", () => {
    const terminal = FAILURE_CODES.filter((name) => STATUS_OF_CODE[name] === "FAILED_WITH_TERMINAL_ERROR");
    expect(terminal).toEqual(["input_invalid", "ref_invalid", "target_not_allowed", "guardrail_pre", "body_terminal"]);
  });

  const endings: readonly (readonly [BodyOutcome, string, string])[] = [
    [{ kind: "failed", message: "no rows" }, "body_failed", "FAILED"],
    [{ kind: "terminal", message: "never" }, "body_terminal", "FAILED_WITH_TERMINAL_ERROR"],
    [{ kind: "output_invalid", message: "rows: NaN" }, "output_invalid", "FAILED"],
    [{ kind: "output_too_large", sizeBytes: 4_000_000, limitBytes: 3_000_000 }, "output_too_large", "FAILED"],
    [{ kind: "lost", message: "exit 0 without a result" }, "executor_lost", "FAILED"],
    [{ ...returned, sizeBytes: 3_000_000 } as BodyOutcome, "output_too_large", "FAILED"],
  ];
  test.each(endings)("rule R7, I3, R5: body ending %o is %s", async (body, expected, status) => {
    const { lakefs, conductor } = world();
    const head = lakefs.head();
    const end = await execute({ lakefs, conductor }, { body: () => body });
    expect(code(end)).toBe(expected);
    expect(conductor.current.status).toBe(status);
    expect(lakefs.head()).toBe(head);
    expect(end.phases).toContain("seal");
    expect(end.removed).toBe(true);
  });

  test("rule T3: a pre guardrail is terminal and the body does not run; a post guardrail is FAILED and nothing is staged", async () => {
    const before = world();
    const pre = await execute(before, { pre: ["raw/**/*.wav: 0 of at least 1"] });
    expect(code(pre)).toBe("guardrail_pre");
    expect(pre.phases).not.toContain("run");
    expect(before.conductor.current.status).toBe("FAILED_WITH_TERMINAL_ERROR");
    const after = world();
    const post = await execute(after, {
      post: ["out.csv is missing"],
      body: (folder) => void folder.set("data/b", "2"),
    });
    expect(code(post)).toBe("guardrail_post");
    expect(after.lakefs.calls).not.toContain("commitStaging");
    expect(after.lakefs.stagingBranches()).toEqual([]);
  });

  test("rule T8, T13: an attempt whose staging fails publishes nothing and leaves no branch", async () => {
    for (const method of ["stage", "verifyStaging"] as const) {
      const { lakefs, conductor } = world();
      const refuse = () =>
        Promise.reject(
          new AttemptError({ code: "workspace_unstageable", message: "out.log changed", hint: "stop it" }),
        );
      const ports = ({ workspace }: { workspace?: object }) => ({
        workspace: { ...workspace, [method]: refuse } as never,
      });
      const end = await execute({ lakefs, conductor }, { ports, body: (folder) => void folder.set("data/b", "2") });
      expect(code(end)).toBe("workspace_unstageable");
      expect(lakefs.stagingBranches()).toEqual([]);
    }
  });
});

describe("rule X1: cleanup", () => {
  test("fault A7, rule X1: a cleanup that fails is counted and changes nothing", async () => {
    const { lakefs, conductor } = world();
    const refuse = () => Promise.reject(new AttemptError({ code: "server_unavailable", message: "412", hint: "" }));
    const ports = ({ store, workspace }: { store?: object; workspace?: object }) => ({
      store: { ...store, deleteStagingBranch: refuse } as never,
      workspace: { ...workspace, remove: refuse } as never,
    });
    const end = await execute(
      { lakefs, conductor },
      { ports, body: (folder: Folder) => void folder.set("data/b", "2") },
    );
    expect(end.done.reported).toBe("accepted");
    expect(conductor.current.status).toBe("COMPLETED");
    expect(end.notes.map(({ name }) => name)).toEqual(["cleanup_failed", "cleanup_failed"]);
  });
});

describe("workspace-free tasks", () => {
  test("rule I2: run, report; the output is the result alone", async () => {
    const { lakefs, conductor } = world();
    const end = await execute({ lakefs, conductor }, { workspace: null, input: { params: {} } });
    expect(end.phases).toEqual(["run", "seal", "stopLease", "report", "readBack", "releaseExecutor"]);
    expect(conductor.current.output).toEqual({ result: { rows: 1 } });
    expect(lakefs.calls).toEqual([]);
  });

  test("rule I3: the body's executor is given the input to validate first, and what it refuses is terminal", async () => {
    const { lakefs, conductor } = world();
    const asked: unknown[] = [];
    const message = "params.minRows: expected a number";
    const ports = ({ executor }: { executor: object }) => ({
      executor: {
        ...executor,
        validate: () => Promise.reject(new Error("not asked for alone")),
        run: ({ inputData }: { inputData: unknown }) => {
          asked.push(inputData);
          return Promise.resolve({ kind: "input_invalid", message });
        },
      } as never,
    });
    const end = await execute({ lakefs, conductor }, { workspace: null, input: { params: { minRows: "x" } }, ports });
    expect(asked).toEqual([{ params: { minRows: "x" } }]);
    expect(code(end)).toBe("input_invalid");
    expect(conductor.current).toMatchObject({ status: "FAILED_WITH_TERMINAL_ERROR" });
    expect(conductor.current.reason).toContain(message);
  });
});
