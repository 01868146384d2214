import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { untilEnded } from "../support/conductor.ts";
import { startHost, type Host } from "../support/host.ts";
import { createRepository, type Repository, type Tree } from "../support/lakefs-repository.ts";
import { createTestRun, registerTasks, type TestRun } from "../support/test-run.ts";
import { expectRefused, misbehave, MODULES, runToEnd, setStage, TREE, type Refused, type Stage } from "./refusal.ts";

let run: TestRun;
let repository: Repository;
let base: string;
let host: Host;
/** A host with PERAGO_ALLOWED_TARGETS, and tasks of its own. */
let narrow: TestRun;
let narrowHost: Host;

beforeAll(async () => {
  run = await createTestRun([]);
  await registerTasks(run, MODULES);
  for (const task of ["mischief", "everywhere"]) await run.workflow(task, [{ task }]);
  await run.workflow("bare", [{ task: "mischief", input: {} }]);
  repository = await createRepository("refusals");
  base = await repository.commitTree(TREE);
  host = await startHost(run, { modules: MODULES });
  narrow = await createTestRun([]);
  await registerTasks(narrow, MODULES);
  await narrow.workflow("mischief", [{ task: "mischief" }]);
  const allowed = { PERAGO_ALLOWED_TARGETS: `other/*, ${repository.name}/case-*` };
  narrowHost = await startHost(narrow, { modules: MODULES, env: allowed });
});
// What is made in a hook is not ended with the file by itself.
afterAll(async () => {
  await host.stop();
  await narrowHost.stop();
});

interface Case {
  /** The bad thing; the end of a test's title. */
  readonly what: string;
  readonly tree?: Tree;
  readonly task?: "mischief" | "everywhere" | "bare";
  readonly input: (stage: Stage) => Readonly<Record<string, unknown>>;
  readonly refused: Omit<Refused, "status" | "bodyRan" | "code">;
}

/** Runs a case from its tree to its refusal. */
async function refuse(
  bad: Case,
  refused: Pick<Refused, "status" | "bodyRan" | "code">,
  on: { readonly run: TestRun; readonly host: Host } = { run, host },
): Promise<void> {
  const stage = await setStage(on.run, repository, base, bad.tree);
  const task = await runToEnd(on.run.name(bad.task ?? "mischief"), bad.input(stage));
  await expectRefused(task, stage, on.host, { ...bad.refused, ...refused });
}

/** An input whose workspace differs from a good one. */
function workspaceWith(change: Readonly<Record<string, unknown>>): Case["input"] {
  return (stage) => ({ workspace: { ...stage.workspace, ...change }, params: misbehave(stage, "change") });
}

/** A good input for a body that misbehaves. */
function body(mischief: string): Case["input"] {
  return (stage) => ({ workspace: stage.workspace, params: misbehave(stage, mischief) });
}

const START_AGAIN = /start a new workflow|inputParameters|Give the commit id|pass the full id/;

describe("fault J1, rule I1, rule I3, rule I6: an input that does not fit is input_invalid, terminal, before the body", () => {
  const cases: readonly Case[] = [
    {
      what: "no workspace and no params",
      task: "bare",
      input: () => ({}),
      refused: { names: ["workspace is missing", "keys that did arrive"], mend: /inputParameters/ },
    },
    {
      what: "an expression that nothing resolves",
      input: (stage) => ({ workspace: null, params: misbehave(stage, "change") }),
      refused: { names: ["workspace is null", "unresolved expression"], mend: /inputParameters/ },
    },
    {
      what: "params of a wrong type",
      input: (stage) => ({ workspace: stage.workspace, params: { ...misbehave(stage, "change"), count: "many" } }),
      refused: { names: ["params.count"], mend: START_AGAIN },
    },
    {
      what: "a field that workspace does not have",
      input: workspaceWith({ tag: "v1" }),
      refused: { names: ["workspace", "tag"], mend: /./ },
    },
    {
      what: "a refType other than commit",
      input: workspaceWith({ refType: "branch" }),
      refused: { names: ["workspace.refType", `"commit"`], mend: /./ },
    },
    {
      what: "a repository that is not there",
      input: workspaceWith({ repository: "no-such-repository" }),
      refused: { names: ["no-such-repository"], mend: /check the repository/ },
    },
  ];
  test.for(cases)("rule R7: $what", (bad) =>
    refuse(bad, { code: "input_invalid", status: "FAILED_WITH_TERMINAL_ERROR", bodyRan: false }),
  );
});

describe("rule I4: a ref that is no commit id is ref_invalid, terminal, before the body", () => {
  const unknown = "ab".repeat(32);
  const refs: readonly { readonly what: string; readonly ref: string }[] = [
    { what: "a branch's name", ref: "main" },
    { what: "a branch's name of hexadecimal digits", ref: "deadbeef" },
    { what: "a relative ref", ref: "main~1" },
    { what: "fewer than 8 digits", ref: "abcdef1" },
    { what: "a commit that is not there", ref: unknown },
  ];
  test.for(refs)("rule R7: $what", async ({ ref }) => {
    if (ref === "deadbeef") await repository.createBranch(ref, base);
    const refused = { names: ["workspace.ref", ref], mend: START_AGAIN };
    const bad = { what: ref, input: workspaceWith({ ref }), refused };
    await refuse(bad, { code: "ref_invalid", status: "FAILED_WITH_TERMINAL_ERROR", bodyRan: false });
  });
});

describe("rule I7: a target that is not the host's is target_not_allowed, terminal, before anything is read", () => {
  const refused = { code: "target_not_allowed", status: "FAILED_WITH_TERMINAL_ERROR", bodyRan: false } as const;
  const staging = "perago-stg-0123456789abcdef-task-0-abc";
  const targets: readonly Case[] = [
    {
      what: "another branch of its repository",
      input: workspaceWith({ branch: "other" }),
      refused: { names: ["/other"], mend: /PERAGO_ALLOWED_TARGETS/ },
    },
    {
      what: "another repository, there or not",
      input: workspaceWith({ repository: "no-such-repository" }),
      refused: { names: ["no-such-repository/case-"], mend: /PERAGO_ALLOWED_TARGETS/ },
    },
    {
      what: "a staging branch",
      input: workspaceWith({ branch: staging }),
      refused: { names: [staging, "staging branch of Perago"], mend: START_AGAIN },
    },
  ];
  test.for(targets)("rule I7: $what", (bad) => refuse(bad, refused, { run: narrow, host: narrowHost }));

  test("rule I7: what the setting names is published", async () => {
    const stage = await setStage(narrow, repository, base);
    const task = await runToEnd(narrow.name("mischief"), body("change")(stage));
    expect(`${task.status} ${task.reasonForIncompletion ?? ""}`).toBe("COMPLETED ");
  });
});

describe("rule I5: a commit that no folder can hold is input_invalid, terminal, before the body", () => {
  const mend = /rename or delete these objects/;
  const cases: readonly Case[] = [
    {
      what: "case N04: an object beside a folder of its name",
      tree: { "work/model": "x", "work/model/weights.bin": "y" },
      input: body("change"),
      refused: { names: ["work/model", "work/model/weights.bin"], mend },
    },
    {
      what: "case N12: a key that leads out of the folder",
      tree: { "work/../evil.txt": "x" },
      input: body("change"),
      refused: { names: ["work/../evil.txt"], mend },
    },
    {
      what: "case N12: an empty segment and a dot",
      tree: { "work//x": "x", "work/./y": "y" },
      input: body("change"),
      refused: { names: ["work//x", "work/./y"], mend },
    },
    {
      what: "case N12: a NUL, which the server's own upload takes",
      tree: { "work/n\0ul": "x" },
      input: body("change"),
      refused: { names: [String.raw`work/n\u0000ul`], mend },
    },
    {
      what: "a name of more than 255 bytes",
      tree: { [`work/${"x".repeat(256)}`]: "x" },
      input: body("change"),
      refused: { names: ["work/xxx"], mend },
    },
    {
      what: "case N17: a prefix that is an object",
      tree: { work: "not a folder" },
      input: body("change"),
      refused: { names: ["work"], mend },
    },
  ];
  test.for(cases)("rule R7: $what", (bad) =>
    refuse(bad, { code: "input_invalid", status: "FAILED_WITH_TERMINAL_ERROR", bodyRan: false }),
  );
});

describe("rule T7, rule T6, rule T11: a folder that cannot be staged is workspace_unstageable", () => {
  const cases: readonly Case[] = [
    {
      what: "a symbolic link",
      input: body("leave a link"),
      refused: { names: ["link-to-a"], mend: /plain readable files/ },
    },
    { what: "a FIFO", input: body("leave a FIFO"), refused: { names: ["pipe"], mend: /plain readable files/ } },
    { what: "a socket", input: body("leave a socket"), refused: { names: ["socket"], mend: /plain readable files/ } },
    {
      // Its owner may not read it: that is refused whoever the host runs as, root too.
      what: "a file that its owner may not read",
      input: body("leave an unreadable file"),
      refused: { names: ["locked.txt"], mend: /plain readable files/ },
    },
    {
      what: "case N15: a key of more than 1024 bytes",
      input: body("write a name too long"),
      refused: { names: ["1024"], mend: /shorter names/ },
    },
    {
      what: "an action at the root of the repository",
      task: "everywhere",
      input: body("make an action"),
      refused: { names: ["_lakefs_actions/"], mend: /./ },
    },
  ];
  test.for(cases)("rule R7: $what", (bad) =>
    refuse(bad, { code: "workspace_unstageable", status: "FAILED", bodyRan: true }),
  );
});

describe("rule I3: an output that is no plain JSON of the schema is output_invalid, before anything is staged", () => {
  const mend = /plain JSON/;
  const cases: readonly Case[] = [
    { what: "case J07: NaN", input: body("return NaN"), refused: { names: ["value.ratios", "NaN"], mend } },
    { what: "case J07: Infinity", input: body("return Infinity"), refused: { names: ["value", "Infinity"], mend } },
    { what: "case J05: a Map", input: body("return a Map"), refused: { names: ["value", "Map"], mend } },
    { what: "case J07: a Date", input: body("return a Date"), refused: { names: ["value", "Date"], mend } },
    { what: "case J05: a cycle", input: body("return a cycle"), refused: { names: ["value.self"], mend } },
    {
      what: "a field that the schema does not have",
      input: body("return an undeclared field"),
      refused: { names: ["undeclared"], mend },
    },
  ];
  test.for(cases)("rule R7: $what", (bad) => refuse(bad, { code: "output_invalid", status: "FAILED", bodyRan: true }));

  test("fault J2, case J08: an output over the limit is output_too_large, with its size and the limit", async () => {
    const refused = { names: ["3000"], mend: /write large results into the workspace/ };
    const bad = { what: "", input: body("return too much"), refused };
    await refuse(bad, { code: "output_too_large", status: "FAILED", bodyRan: true });
  });
});

describe("rule R7: a body that does not succeed", () => {
  const ways: readonly (Omit<Refused, "bodyRan"> & { readonly mischief: string })[] = [
    { mischief: "fail", code: "body_failed", status: "FAILED", names: ["the third row has no date"], mend: /retries/ },
    {
      mischief: "throw a bare error",
      code: "body_failed",
      status: "FAILED",
      names: ["RangeError", "row 3 of 2"],
      mend: /retries/,
    },
    {
      mischief: "fail terminally",
      code: "body_terminal",
      status: "FAILED_WITH_TERMINAL_ERROR",
      names: ["there will never be a third row"],
      mend: /does not retry/,
    },
    // Rule R5.
    { mischief: "exit", code: "executor_lost", status: "FAILED", names: ["0"], mend: /log/ },
    { mischief: "abort", code: "executor_lost", status: "FAILED", names: ["SIGKILL"], mend: /log/ },
    { mischief: "hang", code: "body_timeout", status: "FAILED", names: ["4"], mend: /timeout\.seconds/ },
  ];
  test.for(ways)("rule R5, rule R7: it is told to $mischief: $code", ({ mischief, code, status, names, mend }) =>
    refuse({ what: mischief, input: body(mischief), refused: { names, mend } }, { code, status, bodyRan: true }),
  );
});

describe("rule T3: guardrails", () => {
  test("rule R7: a pre guardrail that refuses is guardrail_pre, terminal, before the body", async () => {
    const refused = { names: ["not-before.txt"], mend: /start a new workflow/ };
    const bad = { what: "", tree: { "work/not-before.txt": "" }, input: body("change"), refused };
    await refuse(bad, { code: "guardrail_pre", status: "FAILED_WITH_TERMINAL_ERROR", bodyRan: false });
  });

  test("rule R7, case N20: junk that a post guardrail forbids is guardrail_post", async () => {
    const refused = { names: [".DS_Store"], mend: /nothing was published/ };
    await refuse(
      { what: "", input: body("leave junk"), refused },
      { code: "guardrail_post", status: "FAILED", bodyRan: true },
    );
  });
});

describe("rule P3: a target that cannot take the publication", () => {
  test("fault D14, rule R7: a branch that is not there is publish_fence, before the body", async () => {
    const refused = { names: ["no-such-branch"], mend: /check the repository, ref and path/ };
    const bad = { what: "", input: workspaceWith({ branch: "no-such-branch" }), refused };
    await refuse(bad, { code: "publish_fence", status: "FAILED", bodyRan: false });
  });

  test("fault D14, fault K3, rule R7: an input commit that the target does not lead to is publish_fence, before the body", async () => {
    const other = await setStage(run, repository, base, { "work/b.txt": "on another branch" });
    const refused = { names: [base], mend: /start a new workflow whose input ref is the protected head/ };
    const bad = { what: "", input: workspaceWith({ ref: other.input }), refused };
    await refuse(bad, { code: "publish_fence", status: "FAILED", bodyRan: false });
  });
});

test("after all of that the same host publishes a good task", async () => {
  const stage = await setStage(run, repository, base);
  const { workflowInstanceId } = await runToEnd(run.name("mischief"), body("change")(stage));
  expect((await untilEnded(workflowInstanceId)).status).toBe("COMPLETED");
  expect(await repository.tree(stage.branch)).toEqual({ ...TREE, "work/a.txt": "changed by the body" });
  expect((await host.stop()).exitCode).toBe(0);
});
