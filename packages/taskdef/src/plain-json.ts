import { errorAt, joinPath, type Finding } from "./finding.ts";

/** What JSON can hold. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Levels of nesting; the engine's own reader stops at 1000. */
const MAX_DEPTH = 500;
const MAX_FINDINGS = 50;

interface Walk {
  readonly root: string;
  readonly code: string;
  readonly findings: Finding[];
  /** Objects on the way from the root to here: meeting one again is a cycle. */
  readonly above: Set<object>;
}

/**
 * Copies a value as plain JSON, or lists what is not JSON in it (rule I3, case J07): NaN, Infinity, bigint, functions,
 * symbols, Date, Map and other class instances, cycles, lists with holes, texts that are not well-formed. Fields whose
 * value is undefined are dropped, -0 becomes 0. Getters are read once.
 */
export function toPlainJson(
  value: unknown,
  root: string,
  code: string,
): { readonly value: JsonValue; readonly findings: readonly Finding[] } {
  const walk: Walk = { root, code, findings: [], above: new Set() };
  return { value: copy(value, root, walk), findings: walk.findings };
}

function copy(value: unknown, path: string, walk: Walk): JsonValue {
  switch (typeof value) {
    case "boolean":
      return value;
    case "string":
      return value.isWellFormed() ? value : refuse(path, "a text with a lone surrogate", walk);
    case "number":
      if (!Number.isFinite(value)) return refuse(path, String(value), walk);
      return value === 0 ? 0 : value;
    case "object":
      return value === null ? null : copyObject(value, path, walk);
    default:
      return refuse(path, value === undefined ? "undefined" : `a ${typeof value}`, walk);
  }
}

function copyObject(value: object, path: string, walk: Walk): JsonValue {
  if (walk.above.has(value)) return refuse(path, "a cycle", walk);
  if (walk.above.size >= MAX_DEPTH) return refuse(path, `nested deeper than ${MAX_DEPTH} levels`, walk);
  if (walk.findings.length >= MAX_FINDINGS) return null;
  walk.above.add(value);
  const copied = Array.isArray(value) ? copyList(value, path, walk) : copyFields(value, path, walk);
  walk.above.delete(value);
  return copied;
}

function copyList(list: readonly unknown[], path: string, walk: Walk): JsonValue {
  const ownKeys = Reflect.ownKeys(list).length - 1;
  if (ownKeys !== list.length) return refuse(path, "a list with holes or fields of its own", walk);
  return list.map((item, index) => copy(item, joinPath(path, index), walk));
}

function copyFields(value: object, path: string, walk: Walk): JsonValue {
  if (!isPlainObject(value)) return refuse(path, `a ${className(value)}`, walk);
  if (Object.getOwnPropertySymbols(value).length > 0) return refuse(path, "an object with symbol keys", walk);
  const entries: [string, JsonValue][] = [];
  for (const [key, field] of Object.entries(value)) {
    if (field === undefined) continue;
    const at = joinPath(path, key);
    if (!key.isWellFormed()) refuse(at, "a key with a lone surrogate", walk);
    entries.push([key, copy(field, at, walk)]);
  }
  // Not by assignment: a field named __proto__ must stay a field.
  return Object.fromEntries(entries);
}

/** An object literal, of this or another realm, or one without a prototype. */
function isPlainObject(value: object): boolean {
  const proto: unknown = Object.getPrototypeOf(value);
  if (proto === null || proto === Object.prototype) return true;
  const isRealmRoot = Object.getPrototypeOf(proto) === null && Object.hasOwn(Object(proto), "isPrototypeOf");
  return isRealmRoot && Object.prototype.toString.call(value) === "[object Object]";
}

function className(value: object): string {
  const made: unknown = Reflect.get(value, "constructor");
  return typeof made === "function" && made.name !== "" ? made.name : "class instance";
}

function refuse(path: string, what: string, walk: Walk): null {
  if (walk.findings.length < MAX_FINDINGS) {
    const hint = "Return plain JSON only: texts, finite numbers, booleans, null, lists and object literals.";
    walk.findings.push(errorAt(path, walk.code, `${path} is ${what}, which JSON cannot hold`, hint));
  }
  return null;
}

/** Bytes of a text in UTF-8; a lone surrogate counts 3, as it is replaced. */
export function utf8SizeBytes(text: string): number {
  let sizeBytes = 0;
  for (const char of text) {
    const point = char.codePointAt(0) ?? 0;
    sizeBytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return sizeBytes;
}
