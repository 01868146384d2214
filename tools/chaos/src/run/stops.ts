import type { FromHost, GateMessage } from "../host/messages.ts";
import { faultName, strikeName } from "../plan/fault.ts";
import type { PlannedFault } from "../plan/workload.ts";
import type { HostProcess } from "./host-process.ts";
import type { ChaosHost } from "./host.ts";
import type { LiveWorkflow, Scene } from "./scene.ts";
import { perform } from "./strike.ts";
import { within } from "./until.ts";

const KNOWN_LIMIT_MS = 8_000;

/** Takes what hosts tell: records it, strikes where something is planned, and lets the step go on. */
export function onHostMessage(scene: Scene, message: FromHost, host: ChaosHost, from: HostProcess): void {
  scene.recorder.record(message);
  if (message.type !== "gate") return;
  if (message.fact?.kind === "merged" && message.fact.commit !== undefined) {
    const workflow = scene.workflows.get(message.execution.workflowId);
    if (workflow !== undefined) {
      const { repository, branch } = workflow;
      scene.seen.commits.push({ repository, branch, commit: message.fact.commit });
    }
  }
  void stopAt(scene, message, host, from);
}

async function stopAt(scene: Scene, stop: GateMessage, host: ChaosHost, from: HostProcess): Promise<void> {
  const { workflowId } = stop.execution;
  // A host may be faster than the answer to the request that started the workflow.
  await within(KNOWN_LIMIT_MS, () => scene.workflows.has(workflowId), 5);
  const workflow = scene.workflows.get(workflowId);
  const due = workflow === undefined ? undefined : dueAt(scene, workflow, stop);
  if (workflow === undefined || due === undefined) return from.go(stop.gate);
  workflow.pending.delete(due);
  const { strike } = due.fault;
  scene.say(`workflow ${workflow.plan.index} on ${host.name}: ${faultName(due.fault)}`);
  try {
    const { goOn, happened } = await perform(strike, { scene, host, process: from, workflow, stop });
    if (goOn) from.go(stop.gate);
    const { tally } = scene;
    tally.struck(strikeName(strike), `${stop.side} ${stop.phase}`, faultName(due.fault), await happened);
  } catch (error) {
    scene.say(`${faultName(due.fault)} came to nothing: ${error instanceof Error ? error.message : String(error)}`);
    scene.tally.struck(strikeName(strike), `${stop.side} ${stop.phase}`, faultName(due.fault), false);
    from.go(stop.gate);
  }
}

function dueAt(scene: Scene, workflow: LiveWorkflow, stop: GateMessage): PlannedFault | undefined {
  const { workflowId, referenceTaskName, executionId } = stop.execution;
  const executions = scene.recorder.ofStep(workflowId, referenceTaskName);
  const number = executions.findIndex(({ name }) => name.executionId === executionId);
  return [...workflow.pending].find(({ fault, step, execution }) => {
    const here = fault.at.phase === stop.phase && fault.at.side === stop.side;
    return here && referenceTaskName === `s${step + 1}` && number >= execution;
  });
}
