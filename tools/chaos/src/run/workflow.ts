import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { logicalTaskKey } from "@perago/fence";
import type { Asked } from "../audit/history.ts";
import type { PlannedWorkflow } from "../plan/workload.ts";
import { hasEnded, refOf, type SeenTask, type SeenWorkflow } from "./engine.ts";
import type { LiveWorkflow, Scene } from "./scene.ts";

const LOOK_MS = 700;
const START_LIMIT = 20;
/** Longer than any number of retries of all steps may take. */
const WORKFLOW_LIMIT_MS = 240_000;

/** Where a workflow of the plan works. */
export interface Ground {
  readonly repository: { readonly name: string; readonly start: string };
  /** Folder for its control folders. */
  readonly folder: string;
}

export const MAX_STEPS = 3;

/** The registered workflow with so many steps. */
export function workflowName(stepCount: number): string {
  return `chaos.steps.${stepCount}`;
}

/** Starts a workflow of the plan and stays with it until it has ended, once more where somebody asks for it. */
export async function runWorkflow(scene: Scene, plan: PlannedWorkflow, ground: Ground): Promise<void> {
  const workflow = await startWorkflow(scene, plan, ground);
  let ended = await untilEnded(scene, workflow);
  keepCompletions(scene, workflow, ended);
  if (ended === undefined || plan.afterwards === undefined) return;
  const what = plan.afterwards === "retry" && ended.status === "COMPLETED" ? "rerun" : plan.afterwards;
  const asked = await ask(scene, workflow, ended, what);
  if (!asked) return;
  ended = await untilEnded(scene, workflow);
  keepCompletions(scene, workflow, ended);
}

async function startWorkflow(scene: Scene, plan: PlannedWorkflow, ground: Ground): Promise<LiveWorkflow> {
  const { fence } = scene;
  const { name: repository, start: from } = ground.repository;
  for (let tries = 0; tries < START_LIMIT; tries += 1) {
    await scene.servers.allUp();
    // A target of its own for each try: an answer that is lost may have started a workflow.
    const branch = `t-${String(plan.index).padStart(5, "0")}-${tries}`;
    try {
      const controls = await makeControls(join(ground.folder, branch), plan.scripts.length);
      const start = await scene.lake.createTarget({ repository, branch, start: from, fence });
      const params = plan.scripts.map((scripts, index) => [
        `params${index + 1}`,
        { control: controls[index], scripts },
      ]);
      const workspace = { repository, branch, refType: "commit", ref: start };
      const input = { workspace, ...Object.fromEntries(params) };
      const workflowId = await scene.engine.start(workflowName(plan.scripts.length), input);
      const live = { plan, workflowId, repository, branch, start, controls, pending: new Set(plan.faults) };
      scene.workflows.set(workflowId, live);
      return live;
    } catch (error) {
      scene.say(`workflow ${plan.index} is started again: ${error instanceof Error ? error.message : String(error)}`);
      await pause(LOOK_MS);
    }
  }
  throw new Error(`workflow ${plan.index} could not be started`);
}

async function makeControls(folder: string, count: number): Promise<string[]> {
  const folders = Array.from({ length: count }, (_, index) => join(folder, `s${index + 1}`));
  for (const each of folders) await mkdir(each, { recursive: true });
  return folders;
}

/** From now on the bodies of these steps do what their last script says. */
export async function skipScripts({ controls }: LiveWorkflow): Promise<void> {
  for (const folder of controls) {
    await writeFile(join(folder, "killed"), "");
    for (let run = 0; run < 10; run += 1) await writeFile(join(folder, `run-skipped-${run}`), "");
  }
}

/** Has the engine decide again and again, and answers the workflow as it ended; undefined where it does not. */
export async function untilEnded(
  scene: Scene,
  { workflowId, branch }: LiveWorkflow,
  limitMs = WORKFLOW_LIMIT_MS,
): Promise<SeenWorkflow | undefined> {
  let endMs = performance.now() + limitMs;
  let last = "nothing";
  while (performance.now() < endMs && !scene.signal.aborted) {
    try {
      await scene.engine.decide(workflowId);
      const seen = await scene.engine.workflow(workflowId);
      last = `${seen.status}, ${seen.tasks.map(({ status }) => status).join(" ")}`;
      if (hasEnded(seen)) return seen;
    } catch (error) {
      last = error instanceof Error ? error.message : String(error);
      // An outage does not count.
      const beganMs = performance.now();
      await scene.servers.allUp();
      endMs += performance.now() - beganMs;
    }
    await pause(LOOK_MS);
  }
  scene.seen.unended.push(`workflow ${workflowId} on ${branch} did not end within ${limitMs} ms: ${last}`);
  return undefined;
}

/** Keeps every COMPLETED output, before a rerun or restart takes it away. */
export function keepCompletions(scene: Scene, workflow: LiveWorkflow, seen: SeenWorkflow | undefined): void {
  const { workflowId, repository, branch } = workflow;
  for (const task of seen?.tasks ?? []) {
    if (task.status !== "COMPLETED") continue;
    const { taskId, scheduledTime, pollCount, endTime: endTimeMs } = task;
    const ref = refOf(task.outputData) ?? "none";
    const named = { workflowId, repository, branch, logicalTaskKey: keyOf(workflow, task) };
    const completion = { ...named, taskId, scheduledTime, pollCount, endTimeMs, ref };
    scene.seen.completions.set(`${taskId} ${scheduledTime}`, completion);
  }
}

/** The key of a task's logical task. */
export function keyOf({ workflowId: workflowInstanceId }: LiveWorkflow, task: SeenTask): string {
  const { referenceTaskName, iteration, taskDefName } = task;
  return logicalTaskKey({ workflowInstanceId, referenceTaskName, iteration, taskDefName });
}

/** The first step that runs again where it is asked for: a rerun begins at the last task, a retry at the failed one. */
export function firstAgain(seen: SeenWorkflow, what: Asked["what"]): SeenTask | undefined {
  return what === "restart" ? seen.tasks[0] : seen.tasks.at(-1);
}

/** Asks the engine to run an ended workflow again; false where it refuses. */
export async function ask(
  scene: Scene,
  workflow: LiveWorkflow,
  seen: SeenWorkflow,
  what: Asked["what"],
): Promise<boolean> {
  const { workflowId } = workflow;
  const first = firstAgain(seen, what);
  if (first === undefined) return false;
  await scene.servers.allUp();
  const atMs = Date.now();
  try {
    if (what === "restart") await scene.engine.restart(workflowId);
    else if (what === "retry") await scene.engine.retry(workflowId);
    else await scene.engine.rerun(workflowId, first.taskId);
    return true;
  } catch (error) {
    scene.say(`${what} of ${workflowId} was refused: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  } finally {
    // It may have been heard although its answer was lost.
    scene.seen.asked.push({ workflowId, what, atMs });
  }
}
