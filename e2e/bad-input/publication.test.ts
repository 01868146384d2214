import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startWorkflow, terminate, untilEnded, untilTask, type EngineTask } from "../support/conductor.ts";
import { startHost, type Host } from "../support/host.ts";
import { actionFile, hookRuns } from "../support/hooks.ts";
import { createRepository, openRepository, type Repository } from "../support/lakefs-repository.ts";
import { confirmsSince, expectNothingLeft, stagingBranches } from "../support/outcome.ts";
import { startProxy, type Deed, type Proxy, type SeenRequest } from "../support/proxy.ts";
import { isMergeInto } from "../support/requests.ts";
import { realServers } from "../support/settings.ts";
import { createTestRun, registerTasks, type TestRun } from "../support/test-run.ts";
import { until } from "../support/until.ts";
import { publishAsAnother } from "./forge.ts";
import {
  expectFailure,
  expectRefused,
  hasRun,
  letGo,
  misbehave,
  MODULES,
  runToEnd,
  setStage,
  TREE,
  type Stage,
} from "./refusal.ts";

const ENDED = ["COMPLETED", "FAILED", "FAILED_WITH_TERMINAL_ERROR", "TIMED_OUT", "CANCELED"];

let run: TestRun;
let repository: Repository;
let base: string;
let proxy: Proxy;
let host: Host;

beforeAll(async () => {
  run = await createTestRun([]);
  await registerTasks(run, MODULES);
  await run.workflow("mischief", [{ task: "mischief" }]);
  repository = await createRepository("publication");
  base = await repository.commitTree(TREE);
  proxy = await startProxy(realServers().lakefsUrl);
  host = await startHost(run, { modules: MODULES, lakefsUrl: proxy.url, args: ["-j", "2"] });
});
// What is made in a hook is not ended with the file by itself.
afterAll(async () => void (await host.stop()));
beforeEach(() => proxy.meddle());

function inputOf(stage: Stage, mischief = "change"): Readonly<Record<string, unknown>> {
  return { workspace: stage.workspace, params: misbehave(stage, mischief) };
}

/** Starts a body, does something while it holds, and lets it go on to its end. */
async function whileItRuns<T>(
  stage: Stage,
  meanwhile: (task: EngineTask) => Promise<T>,
): Promise<{ ended: EngineTask; done: T }> {
  const workflowId = await startWorkflow(run.name("mischief"), inputOf(stage, "hold"));
  await until("the body runs", () => hasRun(stage), { everyMs: 20 });
  const done = await meanwhile(await untilTask(workflowId, ["IN_PROGRESS"]));
  await letGo(stage);
  return { ended: await untilTask(workflowId, ENDED), done };
}

/** Runs an attempt whose merge waits before lakeFS while something happens to the target. */
async function whileItMerges(
  stage: Stage,
  meanwhile: () => Promise<string>,
): Promise<{ ended: EngineTask; done: string }> {
  const released = Promise.withResolvers<void>();
  const isMerge = isMergeInto(stage.branch);
  proxy.meddle((request) => (isMerge(request) ? { kind: "delay_request", until: released.promise } : undefined));
  const workflowId = await startWorkflow(run.name("mischief"), inputOf(stage));
  await until("the merge is on its way", () => proxy.requests.some(isMerge), { everyMs: 20 });
  const done = await meanwhile();
  released.resolve();
  return { ended: await untilTask(workflowId, ENDED), done };
}

/** Hooks that refuse by the event they refuse at, and the branches that they look at. */
const refusals = [
  { event: "pre-merge", branches: "case-*", what: "the merge" },
  { event: "pre-commit", branches: "perago-stg-*", what: "the staging commit" },
] as const;

describe("rule P3, rule P8, rule P9: what was published meanwhile refuses", () => {
  test("rule R7: a foreign commit is publish_fence, and its author's commit is named", async () => {
    const stage = await setStage(run, repository, base);
    const { ended, done } = await whileItRuns(stage, () => repository.mergeTree({ "work/b.txt": "b" }, stage.branch));
    await expectRefused(ended, stage, host, {
      code: "publish_fence",
      status: "FAILED",
      names: [done],
      mend: /start a new workflow whose input ref is the protected head/,
      bodyRan: true,
      head: done,
    });
  });

  test("rule R7: a later delivery of the same logical task is superseded_by_newer", async () => {
    const stage = await setStage(run, repository, base);
    const { ended, done } = await whileItRuns(stage, (task) =>
      publishAsAnother(stage, task, { laterMs: 5000, taskId: "another" }, { "work/a.txt": "newer" }),
    );
    await expectRefused(ended, stage, host, {
      code: "superseded_by_newer",
      status: "FAILED",
      names: [done],
      mend: /the newer delivery's output stands/,
      bodyRan: true,
      head: done,
    });
  });

  test("rule R7: the same delivery with another projection is already_published", async () => {
    const stage = await setStage(run, repository, base);
    const { ended, done } = await whileItRuns(stage, (task) =>
      publishAsAnother(stage, task, { laterMs: 0 }, { "work/a.txt": "other bytes" }),
    );
    await expectRefused(ended, stage, host, {
      code: "already_published",
      status: "FAILED",
      names: [done],
      mend: /start a new workflow whose input ref is the protected head/,
      bodyRan: true,
      head: done,
    });
  });
});

describe("rule C8: a merge that lakeFS refuses", () => {
  test("rule R7: the same file changed on the target is merge_conflict", async () => {
    const stage = await setStage(run, repository, base);
    const { ended, done } = await whileItMerges(stage, () => repository.mergeTree({ "work/a.txt": "b" }, stage.branch));
    await expectRefused(ended, stage, host, {
      code: "merge_conflict",
      status: "FAILED",
      names: [stage.branch],
      mend: /start again from its head/,
      bodyRan: true,
      head: done,
    });
  });

  test("fault D14, rule R7: uncommitted changes on the target are target_dirty, and stay as they are", async () => {
    const stage = await setStage(run, repository, base);
    await repository.put({ "elsewhere.txt": "somebody's work" }, stage.branch);
    await expectRefused(await runToEnd(run.name("mischief"), inputOf(stage)), stage, host, {
      code: "target_dirty",
      status: "FAILED",
      names: [stage.branch],
      mend: /commit or reset them in lakeFS/,
      bodyRan: true,
    });
    expect(await repository.tree(stage.branch)).toEqual({ ...TREE, "elsewhere.txt": "somebody's work" });
  });

  test.for(refusals)(
    "rule R7, case L08: a $event hook that refuses $what is hook_refused, tried once; action, hook and run are named",
    async ({ event, branches }) => {
      const hook = { lua: `error("songs without a title")` };
      const stage = await setStage(run, repository, base, actionFile({ event, branches, hook }));
      proxy.forget();
      const ended = await runToEnd(run.name("mischief"), inputOf(stage));
      const refused = (await hookRuns(repository)).filter((each) => each.event_type === event);
      expect(refused.map(({ status }) => status)).toEqual(["failed"]);
      await expectRefused(ended, stage, host, {
        code: "hook_refused",
        status: "FAILED",
        names: ["songs without a title", "'no thanks'", "'refuses_everything'", `'${refused[0]?.run_id}'`],
        mend: /see the hook's run in lakeFS/,
        bodyRan: true,
      });
      const isHooked = ({ method, path }: SeenRequest): boolean =>
        method === "POST" &&
        (event === "pre-merge" ? isMergeInto(stage.branch)({ method, path }) : path.endsWith("/commits"));
      expect(proxy.requests.filter(isHooked)).toHaveLength(1);
    },
  );

  test("fault D14, rule R7, case A09: a read-only repository is target_protected, and nothing is made in it", async () => {
    const locked = openRepository(`read-only-${run.id}`);
    const storageNamespace = `local://${locked.name}`;
    await repository.client.createRepository({ name: locked.name, storageNamespace, readOnly: true });
    const input = await locked.head();
    const workspace = { repository: locked.name, branch: "main", refType: "commit", ref: input } as const;
    const { control } = await setStage(run, repository, base);
    const stage = { repository: locked, branch: "main", input, workspace, control };
    await expectRefused(await runToEnd(run.name("mischief"), inputOf(stage)), stage, host, {
      code: "target_protected",
      status: "FAILED",
      names: [locked.name],
      mend: /the repository is read-only/,
      bodyRan: true,
    });
  });
});

test("rule R7, rule X2: a merge request that gets lost is publish_unknown; its staging branch is kept for the sweeper", async () => {
  const stage = await setStage(run, repository, base);
  const isMerge = isMergeInto(stage.branch);
  proxy.meddle((request) => (isMerge(request) ? { kind: "drop_request" } : undefined));
  const ended = await runToEnd(run.name("mischief"), inputOf(stage));
  await expectFailure(ended, stage, host, {
    code: "publish_unknown",
    status: "FAILED",
    names: [stage.branch, "it is not known whether"],
    mend: /the next attempt reads the target's history/,
    bodyRan: true,
  });
  expect(ended.reasonForIncompletion).not.toMatch(/not published/i);
  // The clean-up comes after the report; it is over when the folder is gone, and has left the branch alone.
  await until("the folder is gone", async () => (await host.folders()).length === 0);
  const kept = await stagingBranches(repository);
  for (const branch of kept) await repository.client.deleteBranch(repository.name, branch);
  expect(kept).toEqual([expect.stringContaining(ended.taskId)]);
});

test("rule R7, rule C6: a merge that landed on another head than the pinned one is publish_race; nothing is rolled back", async () => {
  const stage = await setStage(run, repository, base);
  const { ended, done } = await whileItMerges(stage, () => repository.mergeTree({ "other.txt": "b" }, stage.branch));
  const [landed, ...others] = await confirmsSince(repository, base, stage.branch);
  expect(others).toEqual([]);
  await expectRefused(ended, stage, host, {
    code: "publish_race",
    status: "FAILED",
    names: [landed?.id ?? "no commit", done, base],
    mend: /nothing was rolled back/,
    bodyRan: true,
    head: landed?.id ?? "no commit",
  });
});

describe("a server that does not do its part", () => {
  const answers: readonly {
    readonly what: string;
    readonly deed: Deed;
    readonly named: string;
    readonly mend: RegExp;
  }[] = [
    {
      what: "lakeFS no longer takes the key",
      deed: { kind: "answer", status: 401, body: '{"message":"error authenticating request"}' },
      named: "401",
      mend: /check the access key id and secret/,
    },
    {
      what: "the key lacks a permission",
      deed: { kind: "answer", status: 403, body: '{"message":"insufficient permissions"}' },
      named: "insufficient permissions",
      mend: /lack a permission/,
    },
  ];
  test.for(answers)("fault E2, rule R7: $what: server_unavailable", async ({ deed, named, mend }) => {
    const stage = await setStage(run, repository, base);
    proxy.meddle(({ method, path }) => (method === "POST" && path.endsWith("/branches") ? deed : undefined));
    await expectRefused(await runToEnd(run.name("mischief"), inputOf(stage)), stage, host, {
      code: "server_unavailable",
      status: "FAILED",
      names: ["createBranch", named],
      mend,
      bodyRan: true,
    });
  });

  test("fault E6, rule R7, rule X1: lakeFS goes away while the body runs: server_unavailable after all tries, and the folder is gone", async () => {
    const stage = await setStage(run, repository, base);
    // Only the diff of the staged data is lost: the branch can be removed afterwards.
    proxy.meddle(({ path }) => (path.includes("/diff/") ? { kind: "drop_request" } : undefined));
    const ended = await runToEnd(run.name("mischief"), inputOf(stage));
    await expectRefused(ended, stage, host, {
      code: "server_unavailable",
      status: "FAILED",
      names: ["the connection to 127.0.0.1"],
      mend: /./,
      bodyRan: true,
    });
  });
});

test("rule R7, rule R8: a terminated attempt is attempt_stale in the log, and its result is sent to nobody (result_not_ours)", async () => {
  const stage = await setStage(run, repository, base);
  const workflowId = await startWorkflow(run.name("mischief"), inputOf(stage, "hold"));
  await until("the body runs", () => hasRun(stage), { everyMs: 20 });
  await terminate(workflowId);
  const logged = async (text: string): Promise<boolean> => (await host.logText()).includes(text);
  await until("the end of the attempt is logged", () => logged('"code":"attempt_stale"'));
  expect(await logged('"event":"result_not_ours"')).toBe(true);
  const [task] = (await untilEnded(workflowId)).tasks;
  expect(task?.status).toBe("CANCELED");
  expect(task?.reasonForIncompletion ?? "").not.toContain("attempt_stale");
  await expectNothingLeft(repository, host);
  expect(await repository.head(stage.branch)).toBe(base);
});
