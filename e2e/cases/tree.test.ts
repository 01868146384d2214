import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { startWorkflow, untilEnded, untilTask, type EngineTask } from "../support/conductor.ts";
import { isAlive } from "../support/control.ts";
import { startHost, type Host } from "../support/host.ts";
import { actionFile, hookRuns } from "../support/hooks.ts";
import { createRepository, type Repository, type Tree } from "../support/lakefs-repository.ts";
import { confirmsSince, expectNothingLeft, failureCode, outputRef } from "../support/outcome.ts";
import { createTestRun, registerTasks, type TestRun } from "../support/test-run.ts";
import { until } from "../support/until.ts";

const MODULES = [join(import.meta.dirname, "tasks/tree.ts")];
const ENDED = ["COMPLETED", "FAILED", "FAILED_WITH_TERMINAL_ERROR", "TIMED_OUT", "CANCELED"];
const MANY = 2001;
const PARALLEL_PUTS = 8;

const result = z.object({
  entries: z.array(z.string()),
  filler: z.string(),
  pid: z.number().optional(),
  odd: z.number(),
});

let run: TestRun;
let repository: Repository;
let base: string;
let host: Host;

beforeAll(async () => {
  run = await createTestRun([]);
  await registerTasks(run, MODULES);
  for (const task of ["tree", "root", "makes", "needs"]) await run.workflow(task, [{ task }]);
  repository = await createRepository("tree");
  base = await repository.commitTree({ "data-old/1": "a neighbour", "data.txt": "another", "elsewhere/x": "outside" });
  host = await startHost(run, { modules: MODULES });
});

interface Made {
  readonly branch: string;
  readonly input: string;
  /** The last task of the only step. */
  readonly task: EngineTask;
}

type Deed = Readonly<Record<string, unknown>>;

let branchCount = 0;

async function branchWith(trees: readonly Tree[]): Promise<{ branch: string; input: string }> {
  const branch = `tree-${(branchCount += 1)}`;
  await repository.createBranch(branch, base);
  await Promise.all(trees.map((each) => repository.put(each, branch)));
  const isEmpty = trees.every((each) => Object.keys(each).length === 0);
  return { branch, input: isEmpty ? base : await repository.commit("test data", branch) };
}

/** Has a body do its deeds to a tree, on the real servers, and waits for the end. */
async function work(
  short: string,
  tree: Tree | readonly Tree[],
  deeds: readonly Deed[],
  more: Deed = {},
): Promise<Made> {
  const { branch, input } = await branchWith(Array.isArray(tree) ? tree : [tree as Tree]);
  const workspace = { repository: repository.name, branch, refType: "commit", ref: input };
  const workflowId = await startWorkflow(run.name(short), { workspace, params: { deeds, ...more } });
  await untilEnded(workflowId, { decide: true });
  return { branch, input, task: await untilTask(workflowId, ENDED) };
}

function resultOf({ task }: Made): z.infer<typeof result> {
  return result.parse(task.outputData["result"]);
}

/** The object that each key is, so that "not written again" can be told from "written again with equal bytes". */
async function objects(ref: string, prefix = ""): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const page of repository.client.listObjects(repository.name, ref, prefix)) {
    for (const { path, physical_address, checksum } of page) found[path] = `${checksum} ${physical_address}`;
  }
  return found;
}

const NAMES = [
  // case N01, case N20: nothing is left out for its name.
  ".env.sample",
  ".hidden/x",
  ".gitignore",
  ".DS_Store",
  "x.tmp",
  "__pycache__/m.pyc",
  ".perago-attempt.json",
  "perago.lock",
  "_lakefs_actions/not-at-the-root.yaml",
  // case N09
  "trip data/2024 01.csv",
  " lead",
  "trail ",
  // case N07
  "caf\u00e9",
  "cafe\u0301",
  // case N10
  "day=2026-01-01/größe.csv",
  "数据/表.parquet",
  "🎵/👩‍👩‍👧.wav",
  "line\u2028separator",
  "new\nline",
  "tab\tbell\u0007",
  // case N11
  "100%.txt",
  "a%2Fb",
  "%41",
  "A",
  "a+b",
  "a b",
  "q?x=1#f",
  "a&b;c",
  `a'b"c`,
  // What shells, globs and other systems trip over.
  "-rf",
  "~",
  "*",
  "$(x) `y` !z",
  "[a]{b}",
  "back\\slash",
  "c:colon",
  "con",
  "...",
  "..a",
  // case N06: on Linux both are there.
  "R/readme",
  "R/README",
  "s".repeat(255),
  `${"d/".repeat(100)}deep`,
  // case N15: the longest key that the server takes, 1024 bytes with `data/`.
  `${`${"ü".repeat(100)}/`.repeat(5)}${"z".repeat(1024 - 5 - 5 * 201)}`,
];
const NAMED: Tree = Object.fromEntries(NAMES.map((name) => [`data/${name}`, `content of ${name}`]));
const HOSTILE: Tree = {
  ...NAMED,
  // case N19
  "data/_SUCCESS": "",
  "data/pkg/__init__.py": "",
  "data/log.txt": "some lines",
  "data/a.txt": "a",
  "data/gone.txt": "removed by the body",
  // case N02
  "data/empty/": "",
  "data/full/": "",
  "data/full/x": "x",
  // Any bytes.
  "data/bytes.bin": Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
};

/** Paths of files and folders as a body sees them. */
function entriesOf(tree: Tree): string[] {
  const keys = Object.keys(tree).map((key) => key.slice("data/".length));
  const folders = keys.flatMap((key) => [...key.matchAll(/\//g)].map(({ index }) => key.slice(0, index + 1)));
  return [...new Set([...keys, ...folders])].toSorted();
}

describe("a tree of hostile names goes through a real host and back", () => {
  let made: Made;
  let before: Record<string, string>;
  let after: Record<string, string>;

  beforeAll(async () => {
    made = await work("tree", HOSTILE, [
      { do: "write", path: "a.txt", content: "changed" },
      { do: "truncate", path: "log.txt" },
      { do: "write", path: "done", content: "" },
      { do: "remove", path: "gone.txt" },
    ]);
    expect(made.task.status, made.task.reasonForIncompletion ?? "").toBe("COMPLETED");
    [before, after] = [await objects(made.input), await objects(outputRef(made.task))];
  });

  test("fault G4, case N01, case N02, case N07, case N09, case N10, case N11, case N16, case N19: the body finds every key, and no neighbour of the prefix", () => {
    expect(resultOf(made).entries).toEqual(entriesOf(HOSTILE));
  });

  test("case N01, case N20, rule T4: the target shows exactly what the body left, byte for byte", async () => {
    const { "data/gone.txt": _, ...rest } = await repository.tree(made.input);
    expect(await repository.tree(outputRef(made.task))).toEqual({
      ...rest,
      "data/a.txt": "changed",
      "data/log.txt": "",
      "data/done": "",
    });
  });

  test("rule T5, case N07: only what changed is another object; all others were not written again", () => {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    const changed = keys.filter((key) => before[key] !== after[key]);
    expect(changed.toSorted()).toEqual(["data/a.txt", "data/done", "data/gone.txt", "data/log.txt"]);
  });

  test("rule X1: no branch and no folder is left", () => expectNothingLeft(repository, host));
});

describe("what is no change", () => {
  test("case T05, case T04, case B07, case L01: other times and modes on all files publish nothing", async () => {
    const made = await work("tree", HOSTILE, [{ do: "touch everything" }]);
    expect(outputRef(made.task)).toBe(made.input);
    expect(await repository.head(made.branch)).toBe(made.input);
  });

  test("case N02, rule T10: a marker's folder that is removed, and an empty folder that is made, publish nothing", async () => {
    const made = await work("tree", HOSTILE, [
      { do: "remove", path: "empty" },
      { do: "mkdir", path: "new/empty" },
    ]);
    expect(outputRef(made.task)).toBe(made.input);
    expect(await repository.head(made.branch)).toBe(made.input);
  });

  test("case T02: an object whose metadata asks for a link is a plain file", async () => {
    const { branch, input } = await branchWith([{ "data/a": "a" }]);
    expect(input).not.toBe(base);
    const bytes = Buffer.from("plain");
    const attributes = { contentType: "text/plain", metadata: { "::lakefs::symlink-target": "/etc/passwd" } };
    const source = { sizeBytes: bytes.length, open: () => bytes };
    await repository.client.uploadObject({ repository: repository.name, branch, path: "data/l", source, attributes });
    const ref = await repository.commit("a link", branch);
    const workspace = { repository: repository.name, branch, refType: "commit", ref };
    const workflowId = await startWorkflow(run.name("tree"), { workspace, params: { deeds: [] } });
    const task = await untilTask(workflowId, ENDED);
    expect(outputRef(task)).toBe(ref);
    expect(result.parse(task.outputData["result"]).entries).toEqual(["a", "l"]);
  });
});

describe("prefixes", () => {
  test("case N17, rule T11: a prefix without objects is an empty folder, and takes files", async () => {
    const made = await work("tree", {}, [{ do: "write", path: "first", content: "1" }]);
    expect(resultOf(made).entries).toEqual([]);
    expect(await repository.tree(outputRef(made.task))).toEqual({
      ...(await repository.tree(base)),
      "data/first": "1",
    });
  });

  test("case N16, rule T11: emptying `data` removes nothing of `data-old` and `data.txt`", async () => {
    const made = await work("tree", { "data/1": "1", "data/2/3": "3" }, [{ do: "empty the folder" }]);
    expect(await repository.tree(outputRef(made.task))).toEqual(await repository.tree(base));
  });

  test("case L19, rule T6: `/` is the whole repository but the actions, which survive a body that empties it, and still run", async () => {
    const action = actionFile({ event: "pre-merge", branches: "tree-*", hook: { lua: `print("asked")` } });
    const made = await work("root", { ...action, "data/1": "1" }, [{ do: "empty the folder" }]);
    expect(resultOf(made).entries.filter((entry) => entry.startsWith("_"))).toEqual([]);
    expect(await repository.tree(outputRef(made.task))).toEqual(action);
    const runs = (await hookRuns(repository)).filter(({ branch }) => branch === made.branch);
    expect(runs.map(({ status, commit_id: id }) => [status, id])).toEqual([["completed", outputRef(made.task)]]);
  });
});

describe("case N03, rule T10: requireDir means the same after and before", () => {
  test("case N03: an empty folder does not pass the post guardrail, since the next task would not find it", async () => {
    const made = await work("makes", { "data/a": "a" }, [{ do: "mkdir", path: "out" }]);
    expect(failureCode(made.task)).toBe("guardrail_post");
    expect(made.task.reasonForIncompletion).toContain("out");
    expect(await repository.head(made.branch)).toBe(made.input);
    await expectNothingLeft(repository, host);
  });

  test("case N03: a folder with a file passes, and the next task of the workflow finds it", async () => {
    const { branch, input } = await branchWith([{ "data/a": "a" }]);
    const workspace = { repository: repository.name, branch, refType: "commit" };
    const steps = [
      {
        task: "makes",
        ref: "one",
        input: { workspace: { ...workspace, ref: input }, params: "${workflow.input.one}" },
      },
      {
        task: "needs",
        ref: "two",
        input: { workspace: { ...workspace, ref: "${one.output.workspace.ref}" }, params: { deeds: [] } },
      },
    ];
    const name = await run.workflow("chain", steps);
    const workflowId = await startWorkflow(name, { one: { deeds: [{ do: "write", path: "out/x", content: "x" }] } });
    const ended = await untilEnded(workflowId);
    expect(ended.tasks.map(({ status }) => status)).toEqual(["COMPLETED", "COMPLETED"]);
    expect(result.parse(ended.tasks[1]?.outputData["result"]).entries).toEqual(["a", "out/", "out/x"]);
  });
});

test("case L20, rule T7: a file that nobody may read does not pass the post guardrail that asks for it: it fails, named", async () => {
  const made = await work("makes", { "data/a": "a" }, [
    { do: "write", path: "out/x", content: "x" },
    { do: "close", path: "out/x" },
  ]);
  expect(failureCode(made.task)).toBe("workspace_unstageable");
  expect(made.task.reasonForIncompletion).toContain("out/x");
  expect(await repository.head(made.branch)).toBe(made.input);
  await expectNothingLeft(repository, host);
});

test("case B12: one change among 2001 objects is one upload; every page is listed on the way in and on the way out", async () => {
  const keys = Array.from({ length: MANY }, (_, index) => `data/many/${String(index).padStart(5, "0")}`);
  const parts = Array.from({ length: PARALLEL_PUTS }, (_, part) =>
    Object.fromEntries(keys.filter((_key, index) => index % PARALLEL_PUTS === part).map((key) => [key, key])),
  );
  const made = await work("tree", parts, [{ do: "write", path: "many/01999", content: "changed" }]);
  expect(resultOf(made).entries).toHaveLength(MANY + 1);
  const [before, after] = [await objects(made.input, "data/"), await objects(outputRef(made.task), "data/")];
  expect(Object.keys(after)).toEqual(keys);
  expect(keys.filter((key) => before[key] !== after[key])).toEqual(["data/many/01999"]);
});

test("fault G2, case T01, rule T7: links of every kind fail the attempt, each is named, and none is followed", async () => {
  const links = { good: "a.txt", up: "../..", dangling: "nowhere", loop: "loop", absolute: "/etc/passwd" };
  const deeds = Object.entries(links).map(([path, target]) => ({ do: "link", path, target }));
  const made = await work("tree", { "data/a.txt": "a" }, deeds);
  expect(failureCode(made.task)).toBe("workspace_unstageable");
  for (const name of Object.keys(links)) expect(made.task.reasonForIncompletion).toContain(name);
  expect(await repository.head(made.branch)).toBe(made.input);
  await expectNothingLeft(repository, host);
});

test("case T07, rule T8: a process of its own group that goes on writing is ended before anything is staged", async () => {
  const made = await work("tree", { "data/a": "a" }, [{ do: "write for ever", path: "out.log" }]);
  const { pid = 0 } = resultOf(made);
  expect(pid).toBeGreaterThan(0);
  await until("the writer is gone", async () => !(await isAlive(pid)));
  const shown = await repository.tree(outputRef(made.task), "data/");
  expect(shown["data/out.log"]).toMatch(/^(more\n)+$/);
});

test("case J08, case J07: an output of 2.9 MB arrives whole; -0 is 0 and an undefined field is dropped", async () => {
  const made = await work("tree", { "data/a": "a" }, [{ do: "write", path: "b", content: "b" }], {
    fillerCount: 2_900_000,
  });
  expect(await repository.head(made.branch)).toBe(outputRef(made.task));
  const { filler, odd } = resultOf(made);
  expect([filler.length, Object.is(odd, 0)]).toEqual([2_900_000, true]);
  expect(made.task.outputData["result"]).not.toHaveProperty("pid");
});

test("rule C3: each publication above was one confirm commit", async () => {
  const made = await work("tree", { "data/a": "a" }, [{ do: "write", path: "b", content: "b" }]);
  expect((await confirmsSince(repository, made.input, made.branch)).map(({ id }) => id)).toEqual([
    outputRef(made.task),
  ]);
  expect((await host.stop()).exitCode).toBe(0);
});
