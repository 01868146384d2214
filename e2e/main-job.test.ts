import { cp, readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { isTaskDefinition, type AnyRunContext, type AnyTaskDefinition } from "@perago/taskdef";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { getWorkflow, startWorkflowInDomain, untilEnded, type EngineWorkflow } from "./support/conductor.ts";
import { startHost, type Host } from "./support/host.ts";
import { openRepository, type Repository } from "./support/lakefs-repository.ts";
import { expectNothingLeft } from "./support/outcome.ts";
import { spawnNode } from "./support/perago.ts";
import { createTestRun, type TestRun } from "./support/test-run.ts";

const APP = fileURLToPath(new URL("../apps/worker", import.meta.url));
const MODULES = ["metadata-validate", "features-build", "catalog-report"].map((n) => join(APP, `src/tasks/${n}.ts`));
const PREFIX = "audio/render/";
const FEATURE_SET = "basic-1";
const STOP_LIMIT_MS = 2000;
const FULL_ID = /^[0-9a-f]{64}$/;

let run: TestRun;
let repository: Repository;
let input: string;
/** Only hosts of this test file poll this domain. */
let domain: string;

/** Runs a script of the reference host to its end; returns its stdout. */
async function script(name: string, ...args: readonly string[]): Promise<string> {
  const { ended } = spawnNode([join(APP, "scripts", name), ...args], { folder: run.root });
  const { exitCode, stdout, stderr } = await ended;
  expect(exitCode, `${name}: ${stderr}`).toBe(0);
  return stdout;
}

beforeAll(async () => {
  run = await createTestRun([]);
  domain = `d${run.id}`;
  repository = openRepository(`main-job-${run.id}`);
  input = (await script("load-data.ts", "--repository", repository.name)).trim();
  expect(input).toMatch(FULL_ID);
  await repository.untilProtected();
  const registered = await run.perago(["register", ...MODULES]);
  expect(registered.exitCode, registered.stderr).toBe(0);
  await script("register-workflow.ts");
});

describe("the sample workflow on a protected target, with perago start as a process of its own", () => {
  let host: Host;
  let ended: EngineWorkflow;
  let head: string;

  beforeAll(async () => {
    host = await startHost(run, { modules: MODULES, args: ["--domain", domain] });
    const songs = z.array(z.unknown()).parse(JSON.parse(await readFile(join(APP, "data/catalog/songs.json"), "utf8")));
    const workflowInput = { repository: repository.name, branch: "main", ref: input, featureSet: FEATURE_SET, songs };
    const workflowId = await startWorkflowInDomain("songs.publish", workflowInput, domain);
    ended = await untilEnded(workflowId, { timeoutMs: 90_000 });
    await expectNothingLeft(repository, host);
    head = await repository.head();
  });

  test("the workflow is COMPLETED, each task in one attempt by this host, and its output names the published commit", () => {
    expect(ended.status, ended.reasonForIncompletion ?? "").toBe("COMPLETED");
    const tasks = ended.tasks.map((task) => [task.referenceTaskName, task.status, task.retryCount, task.workerId]);
    expect(tasks).toEqual(["validate", "build", "report"].map((name) => [name, "COMPLETED", 0, host.workerIdPrefix]));
    expect(ended.output).toMatchObject({
      ref: head,
      validation: { refusedCount: 0, acceptedCount: 6 },
      build: { featureSet: FEATURE_SET, songCount: 6, totalSeconds: 11, removedFileCount: 0 },
      report: { songCount: 6, totalSeconds: 11, silentSongs: ["long-pause"], notInCatalog: [], withoutFeatures: [] },
    });
  });

  test("rule C1, rule C2: the head is a confirm commit on the input ref with all metadata, and its message names task and attempt", async () => {
    const [confirm, first] = await repository.log();
    expect(confirm?.id).toBe(head);
    expect(first?.id).toBe(input);
    expect(confirm?.parents).toEqual([input]);
    const build = ended.tasks.find(({ referenceTaskName }) => referenceTaskName === "build");
    expect(confirm?.message).toContain("build");
    expect(confirm?.metadata).toMatchObject({
      "perago.phase": "confirm",
      "perago.logical_task_key": `${ended.workflowId}:build:0:features.build`,
      "perago.task_id": build?.taskId,
      "perago.retry_count": "0",
      "perago.input_ref": input,
      "perago.target_branch": "main",
      "perago.prefix": PREFIX,
      "perago.staging_branch": expect.stringMatching(
        new RegExp(`^perago-stg-[0-9a-f]{16}-${build?.taskId}-0-[-\\w]+$`),
      ),
      "perago.staging_commit": expect.stringMatching(FULL_ID),
      "perago.expected_head": input,
      "perago.supersedes": "",
      "perago.workflow_instance_id": ended.workflowId,
      "perago.task_def_name": "features.build",
      "perago.reference_task_name": "build",
      "perago.scheduled_time": String(build?.scheduledTime),
      "perago.worker_id": expect.stringMatching(new RegExp(`^${host.workerIdPrefix}\\d{4}$`)),
      "perago.writer": expect.stringMatching(/^ts\/\d+\.\d+\.\d+/),
    });
  });

  test("rule T9: the staging commit says that it is one, and all that was known by then", async () => {
    const [confirm] = await repository.log();
    const id = confirm?.metadata["perago.staging_commit"] ?? "";
    const staged = await repository.client.getCommit(repository.name, id);
    expect(staged.metadata["perago.phase"]).toBe("try");
    expect(staged.parents).toEqual([input]);
    const later = ["perago.phase", "perago.staging_commit"];
    const known = Object.entries(confirm?.metadata ?? {}).filter(
      ([key]) => key.startsWith("perago.") && !later.includes(key),
    );
    expect(staged.metadata).toMatchObject(Object.fromEntries(known));
  });

  test("fault D13, rule T4: the published projection equals the folder's byte for byte, and keys outside the prefix are unchanged", async () => {
    const before = await repository.tree(input);
    const expected = await runBodyLocally();
    // The body has made something: the comparison below compares more than the input with itself.
    expect(Object.keys(expected).length).toBe(6 * 3);
    const outside = Object.entries(before).filter(([key]) => !key.startsWith(PREFIX));
    expect(outside.length).toBeGreaterThan(0);
    expect(await repository.tree(head)).toEqual({ ...Object.fromEntries(outside), ...expected });
  });

  test("rule X1: no staging branch and no folder is left", async () => {
    expect(await repository.branches()).toEqual(["main"]);
    expect(await host.folders()).toEqual([]);
  });

  test("the target stays protected: nobody commits to it directly", async () => {
    await expect(repository.commit("by hand")).rejects.toMatchObject({ status: 403 });
  });

  test("SIGTERM on the idle host ends it with 0 within 2 s", async () => {
    expect(host.isRunning()).toBe(true);
    const { exitCode, elapsedMs } = await host.stop();
    expect(exitCode).toBe(0);
    expect(elapsedMs).toBeLessThan(STOP_LIMIT_MS);
  });
});

test("the reference host runs the workflow that its own script starts, and SIGTERM ends it with 0", async () => {
  const home = await run.folder("reference");
  const reference = spawnNode([join(APP, "start.mjs"), "--json"], {
    folder: home,
    env: {
      PERAGO_WORKSPACE_ROOT: join(home, "workspaces"),
      PERAGO_LOG_ROOT: join(home, "logs"),
      PERAGO_CACHE_ROOT: join(home, "cache"),
    },
  });
  try {
    const shown = await script("start-workflow.ts", "--repository", repository.name, "--timeout-seconds", "60");
    const { workflowId, status } = z.object({ workflowId: z.string(), status: z.string() }).parse(JSON.parse(shown));
    expect(status).toBe("COMPLETED");
    expect((await getWorkflow(workflowId)).output["ref"]).toBe(await repository.head());
    reference.child.kill("SIGTERM");
    expect((await reference.ended).exitCode, reference.stderr()).toBe(0);
  } finally {
    reference.child.kill("SIGKILL");
  }
});

/** What `features.build` makes of a copy of the data, by key, bytes as latin1 text. */
async function runBodyLocally(): Promise<Record<string, string>> {
  const task = await loadTask(join(APP, "src/tasks/features-build.ts"));
  const folder = await run.folder("body");
  await cp(join(APP, "data", PREFIX), folder, { recursive: true });
  await task.run(contextFor(folder, { featureSet: FEATURE_SET, minSongs: 6 }));
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const read = files.map(async (file) => {
    return [`${PREFIX}${relative(folder, file).split(sep).join("/")}`, await readFile(file, "latin1")] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

async function loadTask(file: string): Promise<AnyTaskDefinition> {
  const module: unknown = await import(file);
  const task = typeof module === "object" && module !== null && "default" in module ? module.default : undefined;
  if (!isTaskDefinition(task)) throw new Error(`${file} exports no task`);
  return task;
}

function contextFor(path: string, params: Record<string, unknown>): AnyRunContext {
  const ignore = (): void => {};
  return {
    params,
    signal: new AbortController().signal,
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    metrics: { counter: ignore, gauge: ignore, histogram: ignore },
    progress: ignore,
    workspace: { path, ref: input, repository: repository.name, branch: "main", prefix: PREFIX, readOnly: false },
    attempt: {
      workflowInstanceId: "local",
      taskId: "local",
      retryCount: 0,
      taskDefName: "features.build",
      referenceTaskName: "build",
      iteration: 0,
      workerId: "local-0000",
    },
  };
}
