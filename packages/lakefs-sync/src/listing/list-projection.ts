import { LakefsError } from "../client/errors.ts";
import type { ObjectStats } from "../client/types.ts";
import { sampleOf, SyncError } from "../errors.ts";
import { objectInTheWay } from "../keys/prefix.ts";
import { maxProjectionFileCount, type JobContext } from "../transfer/context.ts";
import { ahead } from "./ahead.ts";
import { ListingCheck, type CheckedListing, type ListingRules } from "./listing-check.ts";

/** Which commit's projection is listed. */
export interface ListedCommit {
  readonly repository: string;
  /** A full commit id; nothing is read by a branch name (case L16). */
  readonly commitId: string;
}

/** Lists a commit below a prefix, whole, and judges it; nothing is written by anyone before this has ended. */
export async function listCommit(
  context: JobContext,
  commit: ListedCommit,
  rules: ListingRules,
  contentIdOf?: (stats: ObjectStats) => string | undefined,
): Promise<CheckedListing> {
  const check = new ListingCheck(rules);
  const pages = context.client.listObjects(commit.repository, commit.commitId, rules.prefix, {
    signal: context.signal,
  });
  for await (const page of ahead(pages)) {
    for (const stats of page) {
      if (stats.path_type !== "object") continue;
      const { path: key, size_bytes: sizeBytes, checksum, content_type: contentType, metadata } = stats;
      check.add({ key, sizeBytes, checksum, contentType, metadata, contentId: contentIdOf?.(stats) });
    }
    if (check.count > maxProjectionFileCount) {
      throw new SyncError("input_unrepresentable", `more than ${maxProjectionFileCount} objects below the prefix`);
    }
    context.report({ phase: "list", fileCount: check.count, sizeBytes: 0 });
  }
  return check.close();
}

/** The object that stands where the prefix' directory should be (rule I5, case N17), or undefined. */
export async function findObjectInTheWay(
  context: JobContext,
  commit: ListedCommit,
  normalisedPrefix: string,
): Promise<string | undefined> {
  const key = objectInTheWay(normalisedPrefix);
  if (key === undefined) return undefined;
  try {
    await context.client.statObject(commit.repository, commit.commitId, key, { signal: context.signal });
    return key;
  } catch (error) {
    if (error instanceof LakefsError && error.code === "not_found") return undefined;
    // Data that is gone still means that an object has this name.
    if (error instanceof LakefsError && error.code === "gone") return key;
    throw error;
  }
}

/** Refuses a listing that no folder can hold, naming every key (rule I5). */
export function assertRepresentable(listing: CheckedListing, inTheWay: string | undefined): void {
  if (inTheWay !== undefined) {
    const message = `the prefix names an object: ${JSON.stringify(inTheWay)}`;
    throw new SyncError("input_unrepresentable", message, [inTheWay]);
  }
  if (listing.defects.length === 0) return;
  const groups = listing.defects.slice(0, 10).map((defect) => `${defect.what}: ${sampleOf(defect.keys)}`);
  const rest = listing.defects.length - groups.length;
  const message = `no folder can hold the input: ${groups.join("; ")}${rest > 0 ? `; and ${rest} more` : ""}`;
  const names = [...new Set(listing.defects.flatMap((defect) => defect.keys))];
  throw new SyncError("input_unrepresentable", message, names.slice(0, 100));
}
