import type { BranchProtectionRule, Commit, Diff, ObjectError, ObjectStats, Page, Ref, Repository } from "./types.ts";

/** Whether a value is a plain object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fieldError(name: string, wanted: string): Error {
  return new Error(`the answer's field ${name} is not ${wanted}`);
}

/** The object itself, or an error that names it. */
export function recordOf(value: unknown, name = "(whole)"): Record<string, unknown> {
  if (!isRecord(value)) throw fieldError(name, "an object");
  return value;
}

/** A text field, or an error that names it. */
export function textOf(record: Record<string, unknown>, name: string, fallback?: string): string {
  const value = record[name] ?? fallback;
  if (typeof value !== "string") throw fieldError(name, "text");
  return value;
}

function integerOf(record: Record<string, unknown>, name: string, fallback?: number): number {
  const value = record[name] ?? fallback;
  if (typeof value !== "number" || !Number.isSafeInteger(value)) throw fieldError(name, "an integer");
  return value;
}

/** A list field, or an error that names it. */
export function listOf(record: Record<string, unknown>, name: string): unknown[] {
  const value = record[name];
  if (!Array.isArray(value)) throw fieldError(name, "a list");
  return value;
}

function oneOf<T extends string>(record: Record<string, unknown>, name: string, allowed: readonly T[]): T {
  const value = record[name];
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw fieldError(name, `one of ${allowed.join(", ")}`);
  return found;
}

const noMetadata: Readonly<Record<string, string>> = Object.freeze({});

/** The answer's own object, which nobody else holds: a log page has thousands of texts. */
function metadataOf(record: Record<string, unknown>): Readonly<Record<string, string>> {
  const value = record["metadata"];
  if (value === undefined || value === null) return noMetadata;
  const metadata = recordOf(value, "metadata");
  if (!isTextMap(metadata)) {
    // Without the key, which is the answer's own text: it may hold an address with a query, or what we sent.
    throw fieldError("metadata", "a map of texts");
  }
  return metadata;
}

function isTextMap(record: Record<string, unknown>): record is Record<string, string> {
  for (const key in record) if (typeof record[key] !== "string") return false;
  return true;
}

/** Reads a lakeFS `Ref`. */
export function refOf(value: unknown): Ref {
  const record = recordOf(value);
  return { id: textOf(record, "id"), commit_id: textOf(record, "commit_id") };
}

/** Reads a lakeFS `Commit`. */
export function commitOf(value: unknown): Commit {
  const record = recordOf(value);
  const parents = listOf(record, "parents").map((parent) => {
    if (typeof parent !== "string") throw fieldError("parents", "a list of texts");
    return parent;
  });
  return {
    id: textOf(record, "id"),
    parents,
    message: textOf(record, "message", ""),
    committer: textOf(record, "committer", ""),
    creation_date: integerOf(record, "creation_date", 0),
    metadata: metadataOf(record),
  };
}

/** Reads a lakeFS `ObjectStats`. */
export function objectStatsOf(value: unknown): ObjectStats {
  const record = recordOf(value);
  return {
    path: textOf(record, "path"),
    path_type: oneOf(record, "path_type", ["object", "common_prefix"]),
    checksum: textOf(record, "checksum", ""),
    physical_address: textOf(record, "physical_address", ""),
    size_bytes: integerOf(record, "size_bytes", 0),
    content_type: textOf(record, "content_type", ""),
    metadata: metadataOf(record),
  };
}

/** Reads a lakeFS `Diff`. */
export function diffOf(value: unknown): Diff {
  const record = recordOf(value);
  return {
    path: textOf(record, "path"),
    path_type: oneOf(record, "path_type", ["object", "common_prefix"]),
    type: oneOf(record, "type", ["added", "removed", "changed", "conflict", "prefix_changed"]),
  };
}

/** Reads a lakeFS `Repository`. */
export function repositoryOf(value: unknown): Repository {
  const record = recordOf(value);
  return {
    id: textOf(record, "id"),
    default_branch: textOf(record, "default_branch"),
    storage_namespace: textOf(record, "storage_namespace", ""),
    read_only: record["read_only"] === true,
    storage_id: textOf(record, "storage_id", ""),
  };
}

/** Reads a list of lakeFS `BranchProtectionRule`. */
export function protectionRulesOf(value: unknown): BranchProtectionRule[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw fieldError("(whole)", "a list");
  return value.map((rule) => ({ pattern: textOf(recordOf(rule), "pattern") }));
}

/** Reads a lakeFS `ObjectErrorList`; no body means no error. */
export function objectErrorsOf(value: unknown): ObjectError[] {
  if (value === undefined) return [];
  return listOf(recordOf(value), "errors").map((entry) => {
    const record = recordOf(entry);
    return {
      path: textOf(record, "path", ""),
      status_code: integerOf(record, "status_code", 0),
      message: textOf(record, "message", ""),
    };
  });
}

/** Reads one page of any list (case B12). */
export function pageOf<T>(value: unknown, readOne: (entry: unknown) => T): Page<T> {
  const record = recordOf(value);
  const pagination = recordOf(record["pagination"], "pagination");
  if (typeof pagination["has_more"] !== "boolean") throw fieldError("pagination.has_more", "true or false");
  return {
    results: listOf(record, "results").map((entry) => readOne(entry)),
    hasMore: pagination["has_more"],
    nextOffset: textOf(pagination, "next_offset", ""),
  };
}
