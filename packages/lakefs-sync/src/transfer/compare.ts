import { listCommit } from "../listing/list-projection.ts";
import { md5OfChecksum } from "../listing/object-table.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import type { JobContext } from "./context.ts";
import { hashObject } from "./download.ts";
import { hashAll } from "./late-hash.ts";
import type { Projection } from "./project.ts";

/** Whether a commit's projection is the folder's. */
export interface Comparison {
  readonly equal: boolean;
  /** The first difference found, in words; absent where equal. */
  readonly difference?: string;
}

/**
 * Does a commit show exactly what the folder shows below the prefix (rule P9)? By listing and size first, then by
 * content: known hashes and MD5 checksums where they agree, else the object is read to its end.
 */
export async function compareCommit(
  context: JobContext,
  snapshot: Snapshot,
  projection: Projection,
  commitId: string,
): Promise<Comparison> {
  const { repository, prefix, excludedPaths, disk } = snapshot;
  const listing = await listCommit(context, { repository, commitId }, { prefix, excludedPaths, disk });
  if (listing.defects.length > 0) return { equal: false, difference: "the commit has keys that no folder can hold" };
  const { objects } = listing;
  objects.learnHashes(snapshot.objects);
  await hashAll(snapshot.folder, projection.files, context.signal);
  const isSeen = new Uint8Array(objects.count);
  const unsure: { readonly row: number; readonly hash: string }[] = [];
  for (const file of projection.files) {
    const row = objects.find(file.path);
    if (row === undefined) return { equal: false, difference: `${file.path} is not in the commit` };
    isSeen[row] = 1;
    if (objects.sizeBytes(row) !== file.sizeBytes) {
      return { equal: false, difference: `${file.path} has another size` };
    }
    const { hash } = file;
    if (hash === undefined) throw new Error(`${file.path} is not hashed`);
    if (objects.hash(row) !== hash) unsure.push({ row, hash });
  }
  const extra = isSeen.indexOf(0);
  if (extra >= 0) return { equal: false, difference: `${objects.path(extra)} is not in the folder` };
  // A checksum of 32 hex digits that disagrees is nearly always another content, but only the bytes prove it (case
  // B07).
  const rank = (row: number): number => (md5OfChecksum(objects.checksum(row)) === undefined ? 1 : 0);
  let fileCount = 0;
  for (const { row, hash } of unsure.toSorted((left, right) => rank(left.row) - rank(right.row))) {
    context.signal.throwIfAborted();
    if ((await hashObject(context, { repository, commitId }, objects.entry(row))) !== hash) {
      return { equal: false, difference: `${objects.path(row)} has another content` };
    }
    fileCount += 1;
    context.report({ phase: "compare", fileCount, sizeBytes: 0, totalFileCount: unsure.length });
  }
  return { equal: true };
}
