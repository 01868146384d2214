import { join } from "node:path";
import type { FillItem } from "../cache/fill-content.ts";
import { maxDeletePathCount } from "../client/objects.ts";
import { sampleOf, SyncError } from "../errors.ts";
import { listCommit } from "../listing/list-projection.ts";
import type { ListedObject } from "../listing/object-table.ts";
import { diffChecker, expectUpload, type ExpectedDiff } from "../plan/expected-diff.ts";
import type { DigestedFile } from "../plan/digest.ts";
import { planChanges, type ChangePlan } from "../plan/plan.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { forEachBounded } from "./bounded.ts";
import type { JobContext } from "./context.ts";
import type { Projection } from "./project.ts";
import { hashAll } from "./late-hash.ts";
import { assertStored } from "./stored-data.ts";
import { uploadFile } from "./upload.ts";

/** A staging branch that the caller made from `baseCommitId`. */
export interface StageJob {
  readonly branch: string;
  /** The head that the publish fence accepted (rule T4); the input commit or a later one. */
  readonly baseCommitId: string;
}

/** What was staged. */
export interface Staged {
  readonly baseCommitId: string;
  readonly expected: ExpectedDiff;
  readonly plan: ChangePlan;
  readonly uploadedSizeBytes: number;
  /** What was uploaded and may be kept in the cache. */
  readonly contents: readonly FillItem[];
}

/** Plans against another commit than the input (rule T4): its listing decides what is uploaded and deleted. */
export async function planAgainst(
  context: JobContext,
  snapshot: Snapshot,
  projection: Projection,
  commitId: string,
): Promise<ChangePlan> {
  const { repository, prefix, excludedPaths, disk, objects } = snapshot;
  const listing = await listCommit(context, { repository, commitId }, { prefix, excludedPaths, disk });
  // A commit that no folder can hold differs from this one by keys that no path stands for.
  if (listing.defects.length > 0) {
    const keys = listing.defects.flatMap((defect) => defect.keys);
    throw new SyncError(
      "staging_differs",
      `the base commit has keys that no folder can hold: ${sampleOf(keys)}`,
      keys.slice(0, 100),
    );
  }
  const base = listing.objects;
  base.learnHashes(objects);
  // What differs from the input may be what this commit has.
  await hashAll(snapshot.folder, projection.files, context.signal);
  const known = (path: string): { key: string; attributes: ListedObject } | undefined => {
    const row = objects.find(path);
    const entry = row === undefined ? undefined : objects.entry(row);
    return entry === undefined ? undefined : { key: entry.key, attributes: entry };
  };
  return planChanges({ base, folder: projection.files, known });
}

/** Makes the staging branch show exactly the folder: uploads, then deletes; nothing outside the prefix (rule T4). */
export async function stage(
  context: JobContext,
  snapshot: Snapshot,
  projection: Projection,
  job: StageJob,
): Promise<Staged> {
  const onInput = job.baseCommitId === snapshot.commitId;
  const plan = onInput ? projection.plan : await planAgainst(context, snapshot, projection, job.baseCommitId);
  const expected: ExpectedDiff = new Map();
  const where = { repository: snapshot.repository, branch: job.branch, folder: snapshot.folder };
  const contents: FillItem[] = [];
  const totalFileCount = plan.uploads.length;
  let fileCount = 0;
  let sizeBytes = 0;
  await forEachBounded(plan.uploads, context.slotCount, context.signal, async (upload, signal) => {
    const file = projection.files.find(upload.path);
    if (file === undefined) throw new Error(`a planned upload has no file: ${upload.path}`);
    const { stored, hash } = await uploadFile({ ...context, signal }, where, { upload, file });
    expectUpload(expected, upload, stored);
    const contentId = context.cache?.idOf(snapshot.repository, stored);
    if (contentId !== undefined) contents.push(itemOfUpload(contentId, snapshot.folder, { ...upload, hash }));
    fileCount += 1;
    sizeBytes += upload.sizeBytes;
    context.report({ phase: "upload", fileCount, sizeBytes, totalFileCount });
  });
  await deleteAll(context, where, plan, expected);
  return { baseCommitId: job.baseCommitId, expected, plan, uploadedSizeBytes: sizeBytes, contents };
}

/** Its stat record is as old as the projection, which proves less than a hash (rule T5). */
function itemOfUpload(contentId: string, folder: string, { path, sizeBytes, hash }: DigestedFile): FillItem {
  return { contentId, absolutePath: join(folder, path), sizeBytes, md5: hash, mark: undefined };
}

async function deleteAll(
  context: JobContext,
  where: { readonly repository: string; readonly branch: string },
  plan: ChangePlan,
  expected: ExpectedDiff,
): Promise<void> {
  const keys = plan.deletes.map((entry) => entry.key);
  for (let start = 0; start < keys.length; start += maxDeletePathCount) {
    const batch = keys.slice(start, start + maxDeletePathCount);
    const errors = await context.client.deleteObjects(where.repository, where.branch, batch, {
      signal: context.signal,
    });
    if (errors.length > 0) {
      const names = errors.map((error) => error.path ?? "");
      const words = errors[0]?.message ?? "";
      throw new SyncError("delete_failed", `lakeFS did not delete ${sampleOf(names)}: ${words}`, names.slice(0, 100));
    }
    for (const key of batch) expected.set(key, "removed");
    context.report({ phase: "delete", fileCount: start + batch.length, sizeBytes: 0, totalFileCount: keys.length });
  }
}

/**
 * Compares the real diff from base to staging commit with the plan; anything else fails (rule T13, case L14). Then
 * looks for the data of what was uploaded (case G01).
 */
export async function verifyStaging(
  context: JobContext,
  snapshot: Snapshot,
  staged: Staged,
  stagingCommitId: string,
): Promise<void> {
  const checker = diffChecker(staged.expected);
  const differences: string[] = [];
  let fileCount = 0;
  const { repository } = snapshot;
  const pages = context.client.diffRefs(repository, staged.baseCommitId, stagingCommitId, { signal: context.signal });
  for await (const page of pages) {
    for (const diff of page) {
      const difference = checker.check(diff);
      if (difference !== undefined) differences.push(difference);
    }
    fileCount += page.length;
    context.report({ phase: "verify", fileCount, sizeBytes: 0, totalFileCount: staged.expected.size });
  }
  differences.push(...checker.missing());
  if (differences.length > 0) {
    const message = `the staging commit differs from the plan: ${sampleOf(differences)}`;
    throw new SyncError("staging_differs", message, differences.slice(0, 100));
  }
  await assertStored(context, { repository, commitId: stagingCommitId }, staged.plan.uploads);
}
