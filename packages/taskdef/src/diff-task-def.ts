import { isRecord } from "./finding.ts";
import type { TaskDef } from "./task-def.ts";

/** One owned field in which the registered TaskDef and the code differ. */
export interface TaskDefDifference {
  /** The TaskDef's field name. */
  readonly field: string;
  /** Undefined where the server has none. */
  readonly registered: unknown;
  readonly extracted: unknown;
}

/** Fields where the engine's 0 and "not there" mean the same. */
const ZERO_IS_ABSENT: ReadonlySet<string> = new Set([
  "maxRetryDelaySeconds",
  "backoffJitterMs",
  "timeoutSeconds",
  "pollTimeoutSeconds",
  "totalTimeoutSeconds",
]);

const SCHEMA_FIELDS: ReadonlySet<string> = new Set(["inputSchema", "outputSchema"]);
const OWNED_IN_SCHEMA = ["name", "version", "type", "data"];

/** The owned fields in which a registered TaskDef differs from the code, in the TaskDef's order. Pure (case C13). */
export function diffTaskDef(registered: Readonly<Record<string, unknown>>, extracted: TaskDef): TaskDefDifference[] {
  return Object.entries(extracted)
    .filter(([field, value]) => !isSame(field, registered[field] ?? undefined, value))
    .map(([field, value]) => ({ field, registered: registered[field] ?? undefined, extracted: value }));
}

/**
 * What register sends: the registered TaskDef with the owned fields of the code. Fields that the code does not own
 * (what operators tuned, and limits that the task leaves unset) stay as they are (case C05).
 */
export function mergeTaskDef(
  registered: Readonly<Record<string, unknown>> | undefined,
  extracted: TaskDef,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...registered };
  for (const [field, value] of Object.entries(extracted)) {
    const before = merged[field];
    merged[field] = SCHEMA_FIELDS.has(field) && isRecord(before) && isRecord(value) ? { ...before, ...value } : value;
  }
  return merged;
}

function isSame(field: string, registered: unknown, extracted: unknown): boolean {
  if (registered === undefined) return extracted === 0 && ZERO_IS_ABSENT.has(field);
  if (!SCHEMA_FIELDS.has(field) || !isRecord(registered) || !isRecord(extracted))
    return deepEqual(registered, extracted);
  return OWNED_IN_SCHEMA.every((key) => deepEqual(registered[key], extracted[key]));
}

/** Equality of JSON values; the order of keys does not count, the server keeps none. */
function deepEqual(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => deepEqual(item, right[index]));
  }
  if (!isRecord(left) || !isRecord(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && deepEqual(left[key], right[key]))
  );
}
