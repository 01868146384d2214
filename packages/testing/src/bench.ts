import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startEmulator, type ControlledClock, type Emulator, type FaultControls } from "@perago/emulator";
import { LakefsClient } from "@perago/lakefs-sync";
import { mergeTaskDef } from "@perago/taskdef";
import {
  openConductor,
  parseSettings,
  registerTaskDefs,
  runHost,
  type ConductorClient,
  type RunningHost,
  type TaskDescription,
} from "@perago/worker";
import { startAttempt, type AttemptOptions, type AttemptRun, type StartedAttempt } from "./attempt.ts";
import { processEnvironment } from "./config/process-environment.ts";
import { registerOneStep } from "./engine.ts";
import { TestingError } from "./errors.ts";
import { openTemporary, type Files } from "./files.ts";
import { chooseTask, describeTasks, type TaskModule } from "./modules.ts";
import { commitFiles, FIRST_BRANCH, REPOSITORY } from "./target.ts";

/** How a bench is made. */
export interface TestBenchOptions {
  readonly modules: readonly TaskModule[];
  /** Attempts of each task at once. Default 1. */
  readonly jobs?: number;
  /**
   * Whether the engine retries as the TaskDefs say; their delays pass on the bench's `clock`. Default false: one
   * attempt,
   * whose failure ends the workflow.
   */
  readonly retries?: boolean;
}

/** One line of the host's log, as it was written. */
export type HostLogLine = Readonly<Record<string, unknown>>;

/** A host on temporary embedded servers, for one test file. */
export interface TestBench extends AsyncDisposable {
  readonly repository: string;
  /** A client of the lakeFS part. */
  readonly lakefs: LakefsClient;
  /** Addresses and credentials, for clients of the test's own. */
  readonly servers: Pick<Emulator, "lakefs" | "conductor">;
  /** Lost answers, delays, errors: for both servers. */
  readonly faults: FaultControls;
  /** The servers' time; the host's own is not moved. */
  readonly clock: ControlledClock;
  /** Commits files by their whole keys to a branch, made from `main` where it is missing; answers the commit id. */
  commit(branch: string, files: Files, message?: string): Promise<string>;
  /** Starts an attempt and does not wait for it. */
  start(options: AttemptOptions): Promise<StartedAttempt>;
  /** Starts an attempt and waits for its end, at most `timeoutMs` (default 20,000). */
  runAttempt(options: AttemptOptions & { readonly timeoutMs?: number }): Promise<AttemptRun>;
  /** What the host and the bodies have logged. */
  logs(): readonly HostLogLine[];
  /** Ends host and servers and removes all folders. A second call does nothing. */
  close(): Promise<void>;
}

/** Time that running attempts get at `close` before their bodies are ended. */
const DRAIN_MS = 3_000;
const MAX_LOG_LINES = 20_000;

/**
 * Starts embedded servers and a host on the modules, registers the tasks, and makes a repository. Close it in
 * `afterAll`.
 * Throws a TestingError where a module has errors.
 */
export async function createTestBench(options: TestBenchOptions): Promise<TestBench> {
  const tasks = await describeTasks(options.modules);
  const undo: (() => Promise<unknown>)[] = [];
  const undoAll = (): Promise<void> => runAll(undo.splice(0).toReversed());
  try {
    const temporary = await openTemporary("test-bench");
    undo.push(temporary.remove);
    const emulator = await startEmulator({ ephemeral: true });
    undo.push(() => emulator.close());
    const lakefs = await openRepository(emulator);
    undo.push(() => lakefs.close());
    const conductor = await openConductor({ serverUrl: emulator.conductor.url }, () => performance.now());
    undo.push(() => Promise.resolve(conductor.close()));
    await register(conductor, tasks, options.retries ?? false);
    const logs: HostLogLine[] = [];
    const host = await startHost({ options, tasks, emulator, folder: temporary.path, logs });
    undo.push(() => stop(host));
    return benchOf({ tasks, emulator, lakefs, conductor, logs, close: undoAll });
  } catch (error) {
    await undoAll();
    throw error;
  }
}

/**
 * One attempt on servers of its own. For several attempts a bench is faster. Throws a TestingError where it cannot be
 * run
 * at all.
 */
export async function runAttempt(
  module: TaskModule,
  options: AttemptOptions & { readonly timeoutMs?: number },
): Promise<AttemptRun> {
  await using bench = await createTestBench({ modules: [module] });
  return await bench.runAttempt(options);
}

/** All of them, also after one that fails; the first failure is thrown then. */
async function runAll(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

async function openRepository({ lakefs }: Emulator): Promise<LakefsClient> {
  const { url: endpoint, accessKeyId, secretAccessKey } = lakefs;
  const client = new LakefsClient({ endpoint, accessKeyId, secretAccessKey });
  const { blockstoreType } = await client.getConfig();
  const storageNamespace = `${blockstoreType}://${REPOSITORY}`;
  await client.createRepository({ name: REPOSITORY, storageNamespace, defaultBranch: FIRST_BRANCH });
  return client;
}

async function register(
  conductor: ConductorClient,
  tasks: readonly TaskDescription[],
  retries: boolean,
): Promise<void> {
  const definitions = tasks.map(({ taskDef, name }) => {
    return { ...mergeTaskDef(undefined, taskDef), name, ...(retries ? {} : { retryCount: 0 }) };
  });
  await registerTaskDefs(conductor, definitions);
  for (const { name, workspace, taskDef } of tasks) {
    const { ownerEmail } = taskDef;
    await registerOneStep(conductor, { name, hasWorkspace: workspace !== undefined, ownerEmail });
  }
}

interface HostParts {
  readonly options: TestBenchOptions;
  readonly tasks: readonly TaskDescription[];
  readonly emulator: Emulator;
  readonly folder: string;
  readonly logs: HostLogLine[];
}

function startHost({ options, tasks, emulator, folder, logs }: HostParts): Promise<RunningHost> {
  const { lakefs, conductor } = emulator;
  const { settings } = parseSettings({
    variables: {
      CONDUCTOR_SERVER_URL: conductor.url,
      LAKECTL_SERVER_ENDPOINT_URL: lakefs.url,
      LAKECTL_CREDENTIALS_ACCESS_KEY_ID: lakefs.accessKeyId,
      LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY: lakefs.secretAccessKey,
      PERAGO_WORKSPACE_ROOT: path.join(folder, "workspaces"),
      PERAGO_LOG_ROOT: path.join(folder, "logs"),
      PERAGO_CACHE_ROOT: path.join(folder, "cache"),
    },
    flags: { jobs: String(options.jobs ?? 1) },
    needs: { conductor: true, lakefs: true },
    surroundings: { cwd: folder },
  });
  const onLine = (json: string): void => {
    if (logs.length < MAX_LOG_LINES) logs.push(parseLine(json));
  };
  return runHost({ tasks, settings, environment: processEnvironment(), show: { bodies: true, onLine } });
}

function parseLine(json: string): HostLogLine {
  const value: unknown = JSON.parse(json);
  return typeof value === "object" && value !== null ? { ...value } : { msg: json };
}

/** Lets running attempts end, but not for ever. */
async function stop(host: RunningHost): Promise<void> {
  host.drain();
  const over = new AbortController();
  const late = pause(DRAIN_MS, undefined, { signal: over.signal }).then(
    () => host.force(),
    () => undefined,
  );
  await host.ended;
  over.abort();
  await late;
}

interface BenchParts {
  readonly tasks: readonly TaskDescription[];
  readonly emulator: Emulator;
  readonly lakefs: LakefsClient;
  readonly conductor: ConductorClient;
  readonly logs: readonly HostLogLine[];
  readonly close: () => Promise<void>;
}

function benchOf({ tasks, emulator, lakefs, conductor, logs, close }: BenchParts): TestBench {
  let branchCount = 0;
  let closing: Promise<void> | undefined;
  const newBranch = (): string => `target-${(branchCount += 1)}`;
  const start = (options: AttemptOptions): Promise<StartedAttempt> => {
    if (closing !== undefined) throw new TestingError("closed", "the bench is closed", "Close it after the last test.");
    return startAttempt({ conductor, lakefs, newBranch }, chooseTask(tasks, options.task), options);
  };
  const closeOnce = (): Promise<void> => (closing ??= close());
  return {
    repository: REPOSITORY,
    lakefs,
    servers: { lakefs: emulator.lakefs, conductor: emulator.conductor },
    faults: emulator.faults,
    clock: emulator.clock,
    commit: (branch, files, message = "data of a test") => commitFiles(lakefs, branch, files, message),
    start: async (options) => await start(options),
    runAttempt: async ({ timeoutMs, ...options }) => await (await start(options)).ended(timeoutMs),
    logs: () => [...logs],
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}
