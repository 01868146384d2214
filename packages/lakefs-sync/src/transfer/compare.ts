import { pathIdentity } from "../keys/disk-traits.ts";
import { listCommit } from "../listing/list-projection.ts";
import { md5OfChecksum, type Snapshot } from "../snapshot/snapshot.ts";
import type { JobContext } from "./context.ts";
import { hashObject } from "./download.ts";
import type { Projection } from "./project.ts";
import { knownHash } from "./stage.ts";

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
  const files = new Map(projection.files.map((file) => [pathIdentity(file.path, disk), file]));
  const seen = new Map(snapshot.entries.map((entry) => [pathIdentity(entry.path, disk), entry]));
  const unsure: { readonly entry: (typeof listing.files)[number]["entry"]; readonly hash: string }[] = [];
  for (const { path, entry } of listing.files) {
    const identity = pathIdentity(path, disk);
    const file = files.get(identity);
    files.delete(identity);
    if (file === undefined) return { equal: false, difference: `${path} is not in the folder` };
    if (file.sizeBytes !== entry.size_bytes) return { equal: false, difference: `${path} has another size` };
    if (knownHash(entry, seen.get(identity)) !== file.hash) unsure.push({ entry, hash: file.hash });
  }
  for (const path of files.keys()) return { equal: false, difference: `${path} is not in the commit` };
  // A checksum of 32 hex digits that disagrees is nearly always another content, but only the bytes prove it (case
  // B07).
  let fileCount = 0;
  const where = { repository, commitId };
  for (const { entry, hash } of unsure.toSorted(
    (left, right) => rank(left.entry.checksum) - rank(right.entry.checksum),
  )) {
    context.signal.throwIfAborted();
    if ((await hashObject(context, where, entry)) !== hash) {
      return { equal: false, difference: `${entry.path.slice(prefix.length)} has another content` };
    }
    fileCount += 1;
    context.report({ phase: "compare", fileCount, sizeBytes: 0, totalFileCount: unsure.length });
  }
  return { equal: true };
}

/** Likely differences first. */
function rank(checksum: string): number {
  return md5OfChecksum(checksum) === undefined ? 1 : 0;
}
