import type { z } from "zod";
import { errorAt, isRecord, joinPath, listKeys, type Finding } from "./finding.ts";

type Issue = z.core.$ZodIssue;

/** A short, safe account of a value for a message: numbers and booleans as they are, everything else by its kind. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value === "string") return value.trim() === "" ? "an empty text" : "a text";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/**
 * Zod's issues as findings with paths below `root`. Rule I6: a null says that it is probably an unresolved expression,
 * and a missing field is listed beside the keys that did arrive. Text values are never shown.
 */
export function zodFindings(
  error: z.ZodError,
  raw: unknown,
  root: string,
  schema?: z.ZodType,
  code?: string,
): Finding[] {
  return error.issues.flatMap((issue) => issueFindings(issue, raw, root, schema, code));
}

function issueFindings(issue: Issue, raw: unknown, root: string, schema?: z.ZodType, code?: string): Finding[] {
  const path = issue.path.reduce<string>((base, key) => joinPath(base, key), root);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => {
      const at = joinPath(path, key);
      const known = knownKeys(schema, issue.path);
      const hint = known.length > 0 ? `Known here: ${known.join(", ")}.` : "Remove it, or add it to the schema.";
      return errorAt(at, code ?? "unknown_field", `${at} is not a known field`, hint);
    });
  }
  const arrived = lookUp(raw, issue.path);
  const hint = hintOf(schema, issue.path);
  if (!arrived.found) {
    const beside = arrived.keys === undefined ? "" : `; keys that did arrive: ${listKeys(arrived.keys)}`;
    return [errorAt(path, code ?? "missing_field", `${path} is missing${beside}`, hint ?? "Give it a value.")];
  }
  if (arrived.value === null) {
    const message = `${path} is null, probably an unresolved expression: ${issue.message}`;
    const mend = "Look at the expression in the workflow that should have filled it.";
    return [errorAt(path, code ?? "null_value", message, hint ?? mend)];
  }
  const message = `${path} is ${describeValue(arrived.value)}: ${issue.message}`;
  return [errorAt(path, code ?? "invalid_value", message, hint ?? "Give a value that the schema accepts.")];
}

type Arrived =
  | { readonly found: true; readonly value: unknown }
  | { readonly found: false; readonly keys: readonly string[] | undefined };

function lookUp(raw: unknown, path: readonly PropertyKey[]): Arrived {
  let value: unknown = raw;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return { found: false, keys: undefined };
    const inside: unknown = Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
    if (inside === undefined) return { found: false, keys: isRecord(value) ? Object.keys(value) : undefined };
    value = inside;
  }
  return value === undefined ? { found: false, keys: undefined } : { found: true, value };
}

/** The schema at a path, through objects and their optional or default wrappers only. */
function schemaAt(schema: z.ZodType | undefined, path: readonly PropertyKey[]): z.core.$ZodType | undefined {
  let current: z.core.$ZodType | undefined = schema;
  for (const key of path) {
    const shape = shapeOf(current);
    current = shape?.[String(key)];
  }
  return current;
}

function hintOf(schema: z.ZodType | undefined, path: readonly PropertyKey[]): string | undefined {
  const found = unwrap(schemaAt(schema, path));
  const description = found !== undefined && "description" in found ? found.description : undefined;
  return typeof description === "string" ? `Allowed: ${description}.` : undefined;
}

function knownKeys(schema: z.ZodType | undefined, path: readonly PropertyKey[]): string[] {
  return Object.keys(shapeOf(schemaAt(schema, path)) ?? {});
}

const MAX_WRAPPERS = 32;

/** What stands inside optional, nullable, default and read-only wrappers. */
export function unwrap(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  let current = schema;
  for (let depth = 0; depth < MAX_WRAPPERS && current !== undefined; depth += 1) {
    const def: object = current._zod.def;
    if (!("innerType" in def) || !isSchema(def.innerType)) return current;
    current = def.innerType;
  }
  return current;
}

/** The fields of an object schema, unwrapped. */
export function shapeOf(
  schema: z.core.$ZodType | undefined,
): Readonly<Record<string, z.core.$ZodType | undefined>> | undefined {
  const def: object | undefined = unwrap(schema)?._zod.def;
  if (def === undefined || !("shape" in def) || !isRecord(def.shape)) return undefined;
  return Object.fromEntries(
    Object.entries(def.shape).filter((entry): entry is [string, z.core.$ZodType] => isSchema(entry[1])),
  );
}

/** Whether a value is a zod 4 schema, of any loaded copy. */
export function isSchema(value: unknown): value is z.core.$ZodType {
  return isRecord(value) && isRecord(value["_zod"]) && isRecord(value["_zod"]["def"]);
}

/** Whether a value is a zod 4 object schema, of any loaded copy. */
export function isObjectSchema(value: unknown): boolean {
  return isSchema(value) && value._zod.def.type === "object";
}
