import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEnd } from "./at-end.ts";
import { registerWorkflow, startWorkflow, type Step } from "./conductor.ts";
import { perago } from "./perago.ts";
import type { Repository } from "./lakefs-repository.ts";

const TASKS_FOLDER = join(import.meta.dirname, "../tasks");
const SCRATCH_FOLDER = join(import.meta.dirname, "../.tmp");

/**
 * What one test file has for itself: a folder, and task and workflow names that no other file and no other run uses, so
 * that tests never share queues. Task modules build their names from the variable `E2E_RUN` (`tasks/named.ts`).
 */
export interface TestRun {
  readonly id: string;
  /** A temporary folder, removed after the test file. */
  readonly root: string;
  /** The task modules of this run, absolute. */
  readonly modules: readonly string[];
  /** Variables that hosts and commands get. */
  readonly env: Readonly<Record<string, string>>;
  /** A task's or workflow's full name. */
  name(short: string): string;
  /** A new folder for one test, outside any workspace. */
  folder(label?: string): Promise<string>;
  /** Registers a workflow of this run; task names in `steps` are short. Returns its full name. */
  workflow(short: string, steps: readonly Step[]): Promise<string>;
  /** Starts a workflow of one step, `step`, of the task on a commit of a repository. Returns its id. */
  startTask(short: string, input: TaskInput): Promise<string>;
  /** Runs `perago` in this run's surroundings. */
  perago(args: readonly string[], env?: Readonly<Record<string, string | undefined>>): ReturnType<typeof perago>;
}

/** The input of a one-step workflow. */
export interface TaskInput {
  readonly repository?: Repository;
  /** Input ref, a commit id. */
  readonly ref?: string;
  /** Target branch; default `main`. */
  readonly branch?: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A run of the tasks `tasks/<short>.ts`, registered by `perago register`. */
export async function createTestRun(tasks: readonly string[]): Promise<TestRun> {
  const id = randomBytes(5).toString("hex");
  const root = await mkdtemp(join(tmpdir(), "perago-e2e-"));
  atEnd(() => rm(root, { recursive: true, force: true }));
  const modules = tasks.map((short) => join(TASKS_FOLDER, `${short}.ts`));
  const env = { E2E_RUN: id };
  const known = new Set<string>();
  const name = (short: string): string => `e2e.${short}.${id}`;
  const workflow = async (short: string, steps: readonly Step[]): Promise<string> => {
    await registerWorkflow(
      name(short),
      steps.map((step) => ({ ...step, task: name(step.task) })),
    );
    return name(short);
  };
  const run: TestRun = {
    id,
    root,
    modules,
    env,
    name,
    folder: (label = "test") => mkdtemp(join(root, `${label}-`)),
    workflow,
    async startTask(short, { repository, ref, branch = "main", params }) {
      if (!known.has(short)) await workflow(short, [{ task: short }]);
      known.add(short);
      const workspace = repository === undefined ? {} : { repository: repository.name, branch, refType: "commit", ref };
      return startWorkflow(name(short), { workspace, params });
    },
    perago: (args, more = {}) => perago(args, { folder: root, env: { ...env, ...more } }),
  };
  if (modules.length > 0) await registerTasks(run);
  return run;
}

/** Writes the TaskDefs of the run's modules to Conductor by `perago register`. */
export async function registerTasks(run: TestRun, modules = run.modules): Promise<void> {
  const { exitCode, stdout, stderr } = await run.perago(["register", ...modules]);
  if (exitCode !== 0) throw new Error(`perago register ended with ${exitCode}: ${stdout}${stderr}`);
}

/**
 * Writes a task module outside any package's `src`, where it still finds this package's dependencies; gone after the
 * test, or the file.
 */
export async function writeModule(text: string, fileName = "task.ts"): Promise<string> {
  await mkdir(SCRATCH_FOLDER, { recursive: true });
  const folder = await mkdtemp(join(SCRATCH_FOLDER, "module-"));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, fileName);
  await writeFile(file, text);
  return file;
}
