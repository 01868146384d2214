import { mkdtemp, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { startWorkflow, untilEnded, untilTask, type EngineTask } from "../support/conductor.ts";
import type { Host } from "../support/host.ts";
import type { Repository, Tree } from "../support/lakefs-repository.ts";
import { expectNothingLeft } from "../support/outcome.ts";
import type { TestRun } from "../support/test-run.ts";

/** Absolute task modules of these tests. */
export const MODULES: readonly string[] = [join(import.meta.dirname, "tasks/mischief.ts")];

/** What every input commit holds unless a case says otherwise. */
export const TREE: Tree = { "work/a.txt": "a", "elsewhere.txt": "outside" };

const ENDED = ["COMPLETED", "COMPLETED_WITH_ERRORS", "FAILED", "FAILED_WITH_TERMINAL_ERROR", "TIMED_OUT", "CANCELED"];

/** How the engine shows a failure; which code has which stands in the protocol's table of results. */
export type FailedStatus = "FAILED" | "FAILED_WITH_TERMINAL_ERROR";

/** A workspace input that works. */
export interface GoodWorkspace {
  readonly repository: string;
  readonly branch: string;
  readonly refType: "commit";
  readonly ref: string;
}

/** A branch of its own for one case, with its input commit as head. */
export interface Stage {
  readonly repository: Repository;
  readonly branch: string;
  readonly input: string;
  readonly workspace: GoodWorkspace;
  /** Where the body and the test meet. */
  readonly control: string;
}

let stageCount = 0;

/** A new branch of the repository, from its first commit, with what the case puts on it. */
export async function setStage(run: TestRun, repository: Repository, base: string, tree: Tree = {}): Promise<Stage> {
  const branch = `case-${(stageCount += 1)}`;
  await repository.createBranch(branch, base);
  const input = Object.keys(tree).length === 0 ? base : await repository.commitTree(tree, branch);
  const workspace = { repository: repository.name, branch, refType: "commit", ref: input } as const;
  return { repository, branch, input, workspace, control: await mkdtemp(join(run.root, "control-")) };
}

/** Params of a body that misbehaves. */
export function misbehave(stage: Stage, mischief: string): Record<string, unknown> {
  return { control: stage.control, mischief };
}

/** Lets a body go on that holds. */
export async function letGo(stage: Stage): Promise<void> {
  await writeFile(join(stage.control, "go"), "");
}

/** Whether the body of the stage has begun. */
export async function hasRun(stage: Stage): Promise<boolean> {
  return (await readdir(stage.control)).includes("ran");
}

/** Starts a workflow with an input as it is and waits for the end of its only task. */
export async function runToEnd(workflow: string, input: Readonly<Record<string, unknown>>): Promise<EngineTask> {
  const workflowId = await startWorkflow(workflow, input);
  return untilTask(workflowId, ENDED, { everyMs: 40 });
}

/** What a refusal must say and leave. */
export interface Refused {
  readonly code: string;
  readonly status: FailedStatus;
  /** Texts that the reason must hold: the thing that is wrong. */
  readonly names: readonly string[];
  /** What the mend must hold. */
  readonly mend: RegExp;
  /** Whether the body had its turn. */
  readonly bodyRan: boolean;
  /** The target's head afterwards; default: the input commit. */
  readonly head?: string;
}

/** Rules R3, R7 and X1: code first, the thing, the mend; nothing published, nothing left. */
export async function expectRefused(task: EngineTask, stage: Stage, host: Host, refused: Refused): Promise<void> {
  await expectFailure(task, stage, host, refused);
  await expectNothingLeft(stage.repository, host);
}

/** The same without a look at what is left behind. */
export async function expectFailure(task: EngineTask, stage: Stage, host: Host, refused: Refused): Promise<void> {
  const reason = task.reasonForIncompletion ?? "";
  expect(`${task.status} ${reason}`).toMatch(new RegExp(`^${refused.status} ${refused.code}: `));
  for (const name of refused.names) expect(reason).toContain(name);
  expectPresentable(reason, host);
  const mend = reason.split(" | ").slice(1).join(" | ");
  expect(mend, reason).toMatch(refused.mend);
  expect(task.retryCount).toBe(0);
  expect(task.outputData).toEqual({});
  expect((await untilEnded(task.workflowInstanceId)).status).toBe("FAILED");
  expect(await hasRun(stage), "whether the body ran").toBe(refused.bodyRan);
  expect(await stage.repository.head(stage.branch)).toBe(refused.head ?? stage.input);
}

/** Rule R3: no path of the host, no secret, no presigned query, no second line, and no longer than the engine keeps. */
export function expectPresentable(reason: string, host: Host): void {
  expect(reason).not.toContain(host.home);
  expect(reason).not.toMatch(/X-Amz-|\/tmp\/|file:\/\//);
  for (const name of ["LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY", "LAKECTL_CREDENTIALS_ACCESS_KEY_ID"]) {
    expect(reason.includes(process.env[name] ?? name)).toBe(false);
  }
  expect(reason).not.toMatch(/[\n\r\0]/);
  expect(reason.length).toBeLessThanOrEqual(500);
}
