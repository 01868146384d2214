import { itemsOfSnapshot } from "../cache/fill-items.ts";
import { isEmptyPlan } from "../plan/plan.ts";
import { SyncError } from "../errors.ts";
import { compareCommit } from "./compare.ts";
import type { JobContext } from "./context.ts";
import type { NamedJob, Projected, StagedChanges, SyncedIn, SyncJobName, SyncJobs } from "./messages.ts";
import { projectFolder } from "./project.ts";
import { stage, verifyStaging } from "./stage.ts";
import { syncIn } from "./sync-in.ts";
import type { WorkspaceTable } from "./workspace-table.ts";

type Input<Name extends SyncJobName> = SyncJobs[Name]["input"];

async function runSyncIn(context: JobContext, table: WorkspaceTable, input: Input<"syncIn">): Promise<SyncedIn> {
  const snapshot = await syncIn(context, input);
  const { objects } = snapshot;
  const paths: string[] = [];
  let sizeBytes = 0;
  for (let row = 0; row < objects.count; row += 1) {
    if (input.withPaths !== false) paths.push(objects.path(row));
    sizeBytes += objects.sizeBytes(row);
  }
  const workspaceId = table.add(snapshot);
  context.cache?.keep(workspaceId, itemsOfSnapshot(snapshot));
  return { workspaceId, fileCount: objects.count, sizeBytes, cachedCount: snapshot.cachedCount, paths };
}

async function runProject(context: JobContext, table: WorkspaceTable, input: Input<"project">): Promise<Projected> {
  const record = table.get(input.workspaceId);
  const projection = await projectFolder(context, record.snapshot);
  record.projection = projection;
  const { files, digest, plan, hashedCount } = projection;
  return {
    digest,
    noop: isEmptyPlan(plan),
    fileCount: files.count,
    sizeBytes: files.sizeBytes,
    uploadCount: plan.uploads.length,
    deleteCount: plan.deletes.length,
    unchangedCount: plan.unchangedCount,
    hashedCount,
    paths: input.withPaths === false ? [] : [...files.paths()],
  };
}

async function runStage(context: JobContext, table: WorkspaceTable, input: Input<"stage">): Promise<StagedChanges> {
  const { snapshot, projection } = table.projected(input.workspaceId);
  if (projection.digest !== input.digest) {
    throw new SyncError("file_changed", "the folder was projected again after it was judged");
  }
  const staged = await stage(context, snapshot, projection, input);
  table.get(input.workspaceId).staged = staged;
  context.cache?.keep(input.workspaceId, staged.contents);
  return {
    uploadedCount: staged.plan.uploads.length,
    uploadedSizeBytes: staged.uploadedSizeBytes,
    deletedCount: staged.plan.deletes.length,
    unchangedCount: staged.plan.unchangedCount,
    changedPathCount: staged.expected.size,
  };
}

async function runVerify(
  context: JobContext,
  table: WorkspaceTable,
  input: Input<"verifyStaging">,
): Promise<Record<string, never>> {
  const { snapshot, staged } = table.get(input.workspaceId);
  if (staged === undefined) throw new Error(`workspace ${input.workspaceId} is not staged yet`);
  await verifyStaging(context, snapshot, staged, input.stagingCommitId);
  return {};
}

/** Runs one job of the sync worker. */
export async function runJob(
  context: JobContext,
  table: WorkspaceTable,
  job: NamedJob,
): Promise<SyncJobs[SyncJobName]["output"]> {
  switch (job.name) {
    case "syncIn":
      return await runSyncIn(context, table, job.input);
    case "project":
      return await runProject(context, table, job.input);
    case "compare": {
      const { snapshot, projection } = table.projected(job.input.workspaceId);
      return await compareCommit(context, snapshot, projection, job.input.commitId);
    }
    case "stage":
      return await runStage(context, table, job.input);
    case "verifyStaging":
      return await runVerify(context, table, job.input);
    case "release":
      await context.cache?.settle(job.input.workspaceId, job.input.folderGoes ?? false);
      table.release(job.input.workspaceId);
      return {};
  }
}
