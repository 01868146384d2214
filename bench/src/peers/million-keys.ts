import { createHash } from "node:crypto";
import { planChanges, validateListing, type ObjectRecord, type ProjectedFile } from "@perago/lakefs-sync";

// A process of its own for row M1: lists and plans generated keys, and ends with what that took, as JSON on stdout.
const keyCount = Number(process.argv[2]);
const PREFIX = "data/";
const KEYS_PER_FOLDER = 1000;
/** Every so many keys the folder differs from the listing. */
const CHANGED_EVERY = 1000;

function pathOf(index: number): string {
  const folder = String(Math.floor(index / KEYS_PER_FOLDER)).padStart(6, "0");
  return `part-${folder}/file-${String(index % KEYS_PER_FOLDER).padStart(6, "0")}.parquet`;
}

function hashOf(text: string): string {
  return createHash("md5").update(text).digest("hex");
}

function* listing(): Generator<ObjectRecord & { readonly key: string }> {
  for (let index = 0; index < keyCount; index += 1) {
    const key = PREFIX + pathOf(index);
    const attributes = { contentType: "application/octet-stream", metadata: {} };
    yield { key, sizeBytes: index, checksum: hashOf(key), ...attributes };
  }
}

function* folder(): Generator<ProjectedFile> {
  for (let index = 0; index < keyCount; index += 1) {
    const path = pathOf(index);
    const hash = hashOf(index % CHANGED_EVERY === 0 ? "changed" : PREFIX + path);
    yield { path, sizeBytes: index, hash };
  }
}

const rules = { prefix: PREFIX, excludedPaths: new Set<string>() };
const beforeBytes = process.memoryUsage.rss();
const { objects, defects } = validateListing(listing(), rules);
if (defects.length > 0) throw new Error("the generated listing has defects");
const plan = planChanges({ base: objects, folder: folder() });
const result = {
  count: objects.count,
  uploadCount: plan.uploads.length,
  unchangedCount: plan.unchangedCount,
  beforeBytes,
  // Kilobytes of the highest resident memory of this process (getrusage).
  peakBytes: process.resourceUsage().maxRSS * 1024,
};
process.stdout.write(JSON.stringify(result));
