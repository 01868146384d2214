import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LakefsClient } from "@perago/lakefs-sync";
import { registerWorkflow, startWorkflow, untilEnded, type EngineTask } from "@perago/e2e/support/conductor.ts";
import { perago } from "@perago/e2e/support/perago.ts";
import { until } from "@perago/e2e/support/until.ts";
import { startHost, type Host, type HostOptions } from "./host.ts";
import { openLakefs } from "./servers.ts";

const TASKS_FOLDER = join(import.meta.dirname, "../../tasks");
const ATTEMPT_TIMEOUT_MS = 600_000;
const ATTEMPT_LOOK_MS = 50;
const REMOVE_TIMEOUT_MS = 120_000;

/** The tasks of the bench, by the file below `tasks/`. */
export type TaskName = "change" | "noop";

/** One repository of a session. */
export interface Place {
  readonly repository: string;
  /** Makes a branch at a commit. */
  branchAt(commitId: string, name: string): Promise<void>;
  /** Whether no staging branch is left. */
  isSwept(): Promise<boolean>;
  /** Deletes the repository before the session ends. */
  remove(): Promise<void>;
}

/** One attempt to be measured. */
export interface AttemptInput {
  readonly task: TaskName;
  readonly repository?: string;
  readonly branch?: string;
  readonly ref?: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * What one measurement has for itself: a folder, names that no other run uses, repositories and hosts. All of it goes
 * when the session is disposed of.
 */
export interface Session extends AsyncDisposable {
  readonly id: string;
  readonly client: LakefsClient;
  /** A new folder. */
  folder(label: string): Promise<string>;
  /** A new repository. */
  place(label: string): Promise<Place>;
  name(task: TaskName): string;
  modules(...tasks: readonly TaskName[]): readonly string[];
  /** Registers TaskDefs and one-step workflows of the tasks. */
  register(...tasks: readonly TaskName[]): Promise<void>;
  /** A host of this session with a home of its own. */
  host(options: Omit<HostOptions, "home"> & { readonly home?: string }): Promise<Host>;
  /** Starts a workflow of one step; returns its id. */
  start(input: AttemptInput): Promise<string>;
  /** Starts a workflow of one step and waits for its end; throws where it does not complete. */
  run(input: AttemptInput): Promise<EngineTask>;
  /** Has something done when the session ends, last first. */
  atEnd(release: () => Promise<unknown>): void;
}

/** Opens a session on the real servers. */
export async function openSession(): Promise<Session> {
  const id = randomBytes(5).toString("hex");
  const disposal = new AsyncDisposableStack();
  const root = await mkdtemp(join(tmpdir(), "perago-bench-"));
  disposal.defer(() => rm(root, { recursive: true, force: true }));
  const client = openLakefs();
  disposal.defer(() => client.close());
  const env = { BENCH_RUN: id };
  const name = (task: TaskName): string => `bench.${task}.${id}`;
  const modules = (...tasks: readonly TaskName[]) => tasks.map((task) => join(TASKS_FOLDER, `${task}.ts`));
  const start = ({ task, repository, branch = "main", ref, params }: AttemptInput): Promise<string> => {
    const workspace = repository === undefined ? {} : { repository, branch, refType: "commit", ref };
    return startWorkflow(name(task), { workspace, params });
  };
  return {
    id,
    client,
    folder: (label) => mkdtemp(join(root, `${label}-`)),
    place: (label) => openPlace(client, `${label}-${id}-${randomBytes(3).toString("hex")}`, disposal),
    name,
    modules,
    async register(...tasks) {
      const { exitCode, stdout, stderr } = await perago(["register", ...modules(...tasks)], { folder: root, env });
      if (exitCode !== 0) throw new Error(`perago register ended with ${exitCode}: ${stdout}${stderr}`);
      for (const task of tasks) await registerWorkflow(name(task), [{ task: name(task) }]);
    },
    async host(options) {
      const home = options.home ?? (await mkdtemp(join(root, "host-")));
      const host = await startHost({ ...options, home, env: { ...env, ...options.env } });
      disposal.defer(() => host.stop());
      return host;
    },
    start,
    run: async (input) => completed(await start(input)),
    atEnd: (release) => disposal.defer(async () => void (await release())),
    [Symbol.asyncDispose]: () => disposal.disposeAsync(),
  };
}

/** Waits for the end of a workflow of one step; throws where the step is not COMPLETED. */
export async function completed(workflowId: string): Promise<EngineTask> {
  const { tasks } = await untilEnded(workflowId, { timeoutMs: ATTEMPT_TIMEOUT_MS, everyMs: ATTEMPT_LOOK_MS });
  const task = tasks.at(-1);
  if (task?.status === "COMPLETED") return task;
  throw new Error(`the attempt did not complete: ${task?.status} ${task?.reasonForIncompletion ?? ""}`);
}

/** Milliseconds from poll to report, by the engine's own record of the task. */
export function attemptMs(task: EngineTask): number {
  return task.endTime - task.startTime;
}

/** Waits until a host and a repository have nothing left of earlier attempts. */
export async function untilSettled(host: Host, place: Place): Promise<void> {
  const settled = async (): Promise<boolean> => (await host.isIdle()) && (await place.isSwept());
  await until("the last attempt is cleaned up", settled, { timeoutMs: 120_000, everyMs: 50 });
}

async function openPlace(client: LakefsClient, repository: string, disposal: AsyncDisposableStack): Promise<Place> {
  const { blockstoreType } = await client.getConfig();
  await client.createRepository({ name: repository, storageNamespace: `${blockstoreType}://${repository}` });
  let isRemoved = false;
  const remove = async (): Promise<void> => {
    if (!isRemoved) await client.deleteRepository(repository, { timeoutMs: REMOVE_TIMEOUT_MS });
    isRemoved = true;
  };
  disposal.defer(remove);
  return {
    repository,
    remove,
    branchAt: (commitId, name) => client.createBranch(repository, { name, sourceCommitId: commitId }),
    isSwept: async () =>
      (await client.listBranches(repository, { prefix: "perago-stg-", showHidden: true })).length === 0,
  };
}
