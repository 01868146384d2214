import { expect } from "vitest";
import { z } from "zod";
import type { EngineTask } from "./conductor.ts";
import type { Host } from "./host.ts";
import type { Repository } from "./lakefs-repository.ts";
import { until } from "./until.ts";

const CLEANUP_TIMEOUT_MS = 2000;

const workspaceOutput = z.object({
  workspace: z.object({ repository: z.string(), branch: z.string(), refType: z.literal("commit"), ref: z.string() }),
  result: z.unknown(),
});

/** The published commit of a COMPLETED task's output (rule I2). */
export function outputRef(task: EngineTask): string {
  expect(task.status, task.reasonForIncompletion ?? "").toBe("COMPLETED");
  return workspaceOutput.parse(task.outputData).workspace.ref;
}

/** The code that a failed task's reason begins with (rule R3). */
export function failureCode(task: EngineTask): string {
  expect(task.status).toMatch(/^FAILED/);
  return (task.reasonForIncompletion ?? "").split(":")[0] ?? "";
}

/** Names of Perago's staging branches that are there. */
export async function stagingBranches(repository: Repository): Promise<readonly string[]> {
  return (await repository.branches()).filter((name) => name.startsWith("perago-stg-"));
}

/** Removes the staging branches that a killed host has left, as the sweeper will one day. */
export async function removeStagingBranches(repository: Repository): Promise<void> {
  for (const branch of await stagingBranches(repository)) await repository.client.deleteBranch(repository.name, branch);
}

/** Rule X1: soon after an attempt no staging branch and no folder is left, but for what has to stay for the sweeper. */
export async function expectNothingLeft(
  repository: Repository,
  host: Host,
  keptBranches: readonly string[] = [],
): Promise<void> {
  let left: readonly string[] = [];
  const patience = { timeoutMs: CLEANUP_TIMEOUT_MS, everyMs: 50 };
  await until(
    "no staging branch and no folder is left",
    async () => {
      const branches = (await stagingBranches(repository)).filter((name) => !keptBranches.includes(name));
      left = [...branches, ...(await host.folders())];
      return left.length === 0;
    },
    patience,
    () => left.join(", "),
  );
}

/** Confirm commits among the first parents of a branch since a commit, newest first. */
export async function confirmsSince(repository: Repository, stopCommitId: string, branch = "main") {
  const commits = await repository.logSince(stopCommitId, branch);
  return commits.filter(({ metadata }) => metadata["perago.phase"] === "confirm");
}
