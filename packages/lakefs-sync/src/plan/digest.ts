import { createHash } from "node:crypto";
import type { ProjectedFile } from "./plan.ts";

/**
 * One text for a whole projection: SHA-256 over path, size and content hash of every file in the order of the paths.
 * Equal digests mean equal projections; the order of the input does not matter.
 */
export function projectionDigest(files: readonly ProjectedFile[]): string {
  const sorted = files.toSorted((left, right) => (left.path < right.path ? -1 : left.path > right.path ? 1 : 0));
  const hash = createHash("sha256");
  for (const file of sorted) hash.update(`${file.path}\0${file.sizeBytes}\0${file.hash}\n`);
  return hash.digest("hex");
}
