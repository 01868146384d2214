import { setTimeout as sleep } from "node:timers/promises";

import {
  createConductorClient,
  MetadataClient,
  noopLogger,
  type Workflow,
  WorkflowExecutor,
} from "@io-orkes/conductor-javascript";

import { songsWorkflow, WORKFLOW_NAME, type WorkflowInput } from "../../src/workflow.ts";
import type { ConductorSettings } from "./settings.ts";
import { ScriptError } from "./usage-error.ts";

const READ_EVERY_MS = 500;

/** Registers the sample workflow; a version that is there is overwritten. */
export async function registerWorkflow(settings: ConductorSettings): Promise<void> {
  await new MetadataClient(await connect(settings)).registerWorkflowDef(songsWorkflow, true);
}

/** Starts the sample workflow; returns its instance id. */
export async function startWorkflow(settings: ConductorSettings, input: WorkflowInput): Promise<string> {
  const executor = new WorkflowExecutor(await connect(settings));
  return executor.startWorkflow({ name: WORKFLOW_NAME, version: 1, input: { ...input } });
}

/**
 * Waits until a workflow has ended, at most `timeoutMs`.
 * @throws {ScriptError} where it has not ended by then.
 */
export async function waitForEnd(
  settings: ConductorSettings,
  workflowId: string,
  timeoutMs: number,
): Promise<Workflow> {
  const executor = new WorkflowExecutor(await connect(settings));
  const readCount = Math.max(1, Math.ceil(timeoutMs / READ_EVERY_MS));
  for (let reads = 0; reads < readCount; reads += 1) {
    const current = await executor.getWorkflow(workflowId, true);
    if (current.status !== "RUNNING" && current.status !== "PAUSED") return current;
    await sleep(READ_EVERY_MS);
  }
  throw new ScriptError(`Workflow ${workflowId} has not ended after ${timeoutMs / 1000} s. Does a worker run?`);
}

/** One line that says why a workflow did not complete, with the task that failed. */
export function describeFailure(ended: Workflow): string {
  const failed = ended.tasks?.findLast((task) => task.status !== "COMPLETED" && task.status !== "CANCELED");
  const where = failed?.referenceTaskName === undefined ? "" : ` at ${failed.referenceTaskName} (${failed.status})`;
  const reason = failed?.reasonForIncompletion ?? ended.reasonForIncompletion ?? "no reason given";
  return `Workflow ${ended.workflowId} is ${ended.status}${where}: ${reason}`;
}

/** The SDK takes /api off the address itself. Without a logger it writes to the console. */
function connect(settings: ConductorSettings) {
  return createConductorClient({ ...settings, logger: noopLogger });
}
