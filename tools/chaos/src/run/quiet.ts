import type { Asked, QuietTrial } from "../audit/history.ts";
import type { Dice } from "../plan/dice.ts";
import { hasEnded, refOf } from "./engine.ts";
import type { LiveWorkflow, Scene } from "./scene.ts";
import { ask, firstAgain, keepCompletions, keyOf, skipScripts, untilEnded } from "./workflow.ts";

const QUIET_LIMIT_MS = 60_000;

/** S13: asks for one more run of some ended workflows, which nobody disturbs. */
export async function runQuietTrials(scene: Scene, dice: Dice, count: number): Promise<QuietTrial[]> {
  const chosen = dice.shuffle([...scene.workflows.values()]).slice(0, count);
  const trials = await Promise.all(chosen.map((workflow) => tryQuietly(scene, workflow, dice)));
  return trials.flatMap((trial) => (trial === undefined ? [] : [trial]));
}

async function tryQuietly(scene: Scene, workflow: LiveWorkflow, dice: Dice): Promise<QuietTrial | undefined> {
  const { workflowId, repository, branch, start } = workflow;
  const seen = await scene.engine.workflow(workflowId);
  if (!hasEnded(seen)) return undefined;
  const what = askable(seen.status, dice);
  const first = firstAgain(seen, what);
  if (first === undefined) return undefined;
  const headBefore = await scene.lake.head(repository, branch);
  await skipScripts(workflow);
  if (!(await ask(scene, workflow, seen, what))) return undefined;
  const ended = await untilEnded(scene, workflow, QUIET_LIMIT_MS);
  keepCompletions(scene, workflow, ended);
  const logicalTaskKey = keyOf(workflow, first);
  const inputRef = first.referenceTaskName === "s1" ? start : (refOf(first.inputData) ?? "none");
  const named = { workflowId, what, repository, branch, logicalTaskKey, inputRef, headBefore };
  return { ...named, statusAfter: ended?.status ?? "RUNNING" };
}

function askable(status: string, dice: Dice): Asked["what"] {
  if (status === "FAILED") return dice.pick(["retry", "restart"]);
  return status === "COMPLETED" ? dice.pick(["rerun", "restart"]) : "restart";
}
