import type { z } from "zod";
import { isRecord, joinPath } from "./finding.ts";
import { isSchema, shapeOf, unwrap } from "./zod-findings.ts";

const MAX_DEPTH = 500;

/**
 * Paths of fields that a value has and its parsed form has not: those that a schema did not know (rule I3). Where the
 * schema transforms a value the two sides are not comparable, and the walk stops.
 */
export function droppedFields(
  schema: z.core.$ZodType | undefined,
  raw: unknown,
  parsed: unknown,
  root: string,
): string[] {
  const dropped: string[] = [];
  collect(schema, raw, parsed, root, 0, dropped);
  return dropped;
}

function collect(
  schema: z.core.$ZodType | undefined,
  raw: unknown,
  parsed: unknown,
  path: string,
  depth: number,
  dropped: string[],
): void {
  if (depth > MAX_DEPTH || transforms(schema)) return;
  if (Array.isArray(raw) && Array.isArray(parsed)) {
    const items: readonly unknown[] = raw;
    items.forEach((item, index) => {
      collect(elementOf(schema), item, parsed[index], joinPath(path, index), depth + 1, dropped);
    });
    return;
  }
  if (!isRecord(raw) || !isRecord(parsed)) return;
  const shape = shapeOf(schema);
  for (const key of Object.keys(raw)) {
    const at = joinPath(path, key);
    if (Object.hasOwn(parsed, key)) collect(shape?.[key], raw[key], parsed[key], at, depth + 1, dropped);
    else if (raw[key] !== undefined) dropped.push(at);
  }
}

/** Whether the schema, or an alternative of a union, may give a value of another shape than it takes. */
function transforms(schema: z.core.$ZodType | undefined): boolean {
  const inner = unwrap(schema);
  if (inner === undefined) return false;
  const def: object & { readonly type: string } = inner._zod.def;
  if (def.type === "pipe" || def.type === "transform") return true;
  return def.type === "union" && "options" in def && Array.isArray(def.options) && def.options.some(isPipe);
}

function isPipe(option: unknown): boolean {
  return isSchema(option) && transforms(option);
}

function elementOf(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  const def: object | undefined = unwrap(schema)?._zod.def;
  return def !== undefined && "element" in def && isSchema(def.element) ? def.element : undefined;
}
