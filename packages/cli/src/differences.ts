import { isDeepStrictEqual } from "node:util";

/** One place in which two JSON values differ; undefined where one side has nothing. */
export interface Difference {
  /** Path of the place: `retryCount`, `inputSchema.data.required[1]`. */
  readonly field: string;
  readonly old: unknown;
  readonly new: unknown;
}

/** Deeper than this two values are shown whole. */
const MAX_DEPTH = 32;

/**
 * The places in which `next` differs from `old`, as deep as both are objects, or lists of one length. The order of keys
 * does not count.
 */
export function differences(old: unknown, next: unknown, field = "", depth = 0): Difference[] {
  // JSON writes 0 and -0 alike.
  if (old === next || isDeepStrictEqual(old, next)) return [];
  if (depth < MAX_DEPTH && isRecord(old) && isRecord(next)) {
    return [...new Set([...Object.keys(next), ...Object.keys(old)])].flatMap((key) =>
      differences(own(old, key), own(next, key), field === "" ? key : `${field}.${key}`, depth + 1),
    );
  }
  if (depth < MAX_DEPTH && Array.isArray(old) && Array.isArray(next) && old.length === next.length) {
    return next.flatMap((item, index) => differences(old[index], item, `${field}[${index}]`, depth + 1));
  }
  return [{ field, old, new: next }];
}

function own(value: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
