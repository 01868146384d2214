import type { Diff, ObjectStats } from "../client/types.ts";
import type { ListedObject } from "../listing/object-table.ts";
import type { PlannedUpload } from "./plan.ts";

/** What the diff from base to staging commit has to show, by key. */
export type ExpectedDiff = Map<string, "added" | "changed" | "removed">;

function sameMetadata(left: Readonly<Record<string, string>>, right: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => left[key] === right[key]);
}

/** An entry's identity in lakeFS is size, checksum, content type and user metadata (case B17). */
export function sameRecord(left: ListedObject, right: ObjectStats): boolean {
  return (
    left.checksum === right.checksum &&
    left.sizeBytes === right.size_bytes &&
    left.contentType === right.content_type &&
    sameMetadata(left.metadata, right.metadata)
  );
}

/** Notes one upload with the record that the server answered. */
export function expectUpload(expected: ExpectedDiff, upload: PlannedUpload, stored: ObjectStats): void {
  if (upload.replaces === undefined) expected.set(upload.key, "added");
  else if (!sameRecord(upload.replaces, stored)) expected.set(upload.key, "changed");
}

/**
 * Compares a real diff with the expected one (rule T13); returns the keys that differ, with what was seen. `seen` is
 * used up: call `missing()` at the end for what never showed.
 */
export function diffChecker(expected: ExpectedDiff): {
  readonly check: (diff: Diff) => string | undefined;
  readonly missing: () => string[];
} {
  const rest = new Map(expected);
  return {
    check: (diff) => {
      const wanted = rest.get(diff.path);
      rest.delete(diff.path);
      return wanted === diff.type ? undefined : `${diff.path} (${diff.type}, planned: ${wanted ?? "nothing"})`;
    },
    missing: () => [...rest].map(([key, type]) => `${key} (planned: ${type}, not seen)`),
  };
}
