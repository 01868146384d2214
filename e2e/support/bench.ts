import { afterEach, beforeEach, onTestFailed, TestRunner } from "vitest";
import { createControl, type Action, type Control } from "./control.ts";
import { startHost, type Host } from "./host.ts";
import { createRepository, type Repository, type Tree } from "./lakefs-repository.ts";
import { startProxy, type Proxy } from "./proxy.ts";
import { realServers } from "./settings.ts";
import { createTestRun, type TestRun } from "./test-run.ts";
import { until } from "./until.ts";

const IDLE_TIMEOUT_MS = 5000;
const SHOWN_OUTPUT_CHARS = 6000;

/**
 * What the tests of one file share, so that each is short: a repository, proxies before both servers, and a host behind
 * them.
 */
export interface Bench {
  readonly run: TestRun;
  readonly repository: Repository;
  /** Commit of the tree that every target branch starts from. */
  readonly input: string;
  /** Before Conductor; forwards all at the start of each test, and forgets what it has seen. */
  readonly conductor: Proxy;
  /** Before lakeFS, likewise. */
  readonly lakefs: Proxy;
  /** The host; where a test has killed it, another one for this test (`home`: in the folder of the dead one). */
  host(home?: string): Promise<Host>;
  /**
   * Starts a workflow of one scripted task: on a branch, from the bench's input unless `ref` says otherwise; undefined
   * for a task without a workspace. The first, second, ... body does the first, second, ... script.
   */
  start(
    task: string,
    target: { readonly branch: string; readonly ref?: string } | undefined,
    ...scripts: readonly (readonly Action[])[]
  ): Promise<Started>;
}

/** A workflow that runs. */
export interface Started {
  readonly host: Host;
  readonly control: Control;
  readonly workflowId: string;
}

/** How a bench is made. */
export interface BenchOptions {
  /** Tasks of `tasks/` that its host runs. */
  readonly tasks: readonly string[];
  /** Name of the repository, before its random part. */
  readonly label: string;
  readonly tree: Tree;
  /** Branches `protected-*` take data by merges only. Costs some seconds once (case L12). */
  readonly isProtected?: boolean;
}

/** Makes a bench; awaited at the top of a test file, for it adds hooks to all of its tests. */
export async function createBench({ tasks, label, tree, isProtected = false }: BenchOptions): Promise<Bench> {
  const run = await createTestRun(tasks);
  const repository = await createRepository(label);
  const input = await repository.commitTree(tree);
  const conductor = await startProxy(realServers().conductorUrl);
  const lakefs = await startProxy(realServers().lakefsUrl);
  let running: Host | undefined;
  const start = async (home?: string): Promise<Host> => {
    if (running?.isRunning() === true) return running;
    const proxied = { conductorUrl: conductor.url, lakefsUrl: lakefs.url };
    running = await startHost(run, { ...proxied, ...(home === undefined ? {} : { home }) });
    return running;
  };
  if (isProtected) {
    await repository.createBranch("protected-probe", input);
    await repository.protect("protected-*", "protected-probe");
  }
  await start();
  beforeEach(() => {
    for (const proxy of [conductor, lakefs]) proxy.forget();
  });
  afterEach(async () => {
    for (const proxy of [conductor, lakefs]) proxy.meddle();
    const host = running;
    if (host?.isRunning() !== true) return;
    // The next test must find a free slot.
    const patience = { timeoutMs: IDLE_TIMEOUT_MS };
    await until("the host is idle", async () => (await host.folders()).length === 0, patience);
  });
  const host = async (home?: string): Promise<Host> => {
    const started = await start(home);
    showOnFailure(started);
    return started;
  };
  return {
    run,
    repository,
    input,
    conductor,
    lakefs,
    host,
    async start(task, target, ...scripts) {
      const running = await host();
      const control = await createControl(run);
      const workspace = target === undefined ? {} : { repository, ref: input, ...target };
      const workflowId = await run.startTask(task, { ...workspace, params: control.params(...scripts) });
      return { host: running, control, workflowId };
    },
  };
}

/** What the host has said since now, where the test fails. */
function showOnFailure(host: Host): void {
  if (TestRunner.getCurrentTest() === undefined) return;
  const said = host.stderr().length;
  onTestFailed(() => {
    process.stderr.write(`--- host ${host.pid}\n${host.stderr().slice(said).slice(-SHOWN_OUTPUT_CHARS)}\n`);
  });
}
