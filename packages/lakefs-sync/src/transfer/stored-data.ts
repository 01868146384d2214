import { LakefsError } from "../client/errors.ts";
import { sampleOf, SyncError } from "../errors.ts";
import type { PlannedUpload } from "../plan/plan.ts";
import { forEachBounded } from "./bounded.ts";
import type { JobContext } from "./context.ts";

const firstByte = { firstByte: 0, lastByte: 0 } as const;

/**
 * Asks for one byte of each object that was uploaded for a staging commit: until the commit, lakeFS' garbage collection
 * takes its bytes for left-overs, and neither commit nor merge nor an object's record notices that they are gone (case
 * G01, fault K1). Fails with all keys whose data is gone.
 */
export async function assertStored(
  context: JobContext,
  where: { readonly repository: string; readonly commitId: string },
  uploads: readonly Pick<PlannedUpload, "key" | "sizeBytes">[],
): Promise<void> {
  const { repository, commitId } = where;
  const gone: string[] = [];
  await forEachBounded(uploads, context.slotCount, context.signal, async ({ key, sizeBytes }, signal) => {
    // An object without bytes has no range.
    const range = sizeBytes > 0 ? { range: firstByte } : {};
    const place = { repository, ref: commitId, path: key, ...range };
    try {
      await context.client.getObject(place, { signal }, () => ({ take: () => undefined, end: () => undefined }));
    } catch (error) {
      if (!(error instanceof LakefsError) || error.code !== "gone") throw error;
      gone.push(key);
    }
  });
  if (gone.length === 0) return;
  const keys = gone.toSorted();
  const message = `the data of ${sampleOf(keys)} left the storage before it was published`;
  throw new SyncError("staged_data_gone", message, keys.slice(0, 100));
}
