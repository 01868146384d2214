import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { findExpressions } from "./find.ts";
import { parsePath, readPath } from "./path.ts";
import { embeddedText } from "./text.ts";

/** What expressions see. */
export interface Scope {
  /** `workflow` and the tasks by their reference names. */
  readonly root: JsonObject;
  /** The task that the input is for, for `${CPEWF_TASK_ID}`. */
  readonly taskId: string | undefined;
}

/** Expressions in expressions; deeper ones stay as they are. */
const MAX_DEPTH = 10;
/** The one system parameter. */
export const TASK_ID_PARAMETER = "CPEWF_TASK_ID";

/** A copy of an object with its expressions resolved; what is not found is null (case C08). */
export function resolveObject(object: JsonObject, scope: Scope): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, resolveValue(value, scope)]));
}

function resolveValue(value: Json, scope: Scope): Json {
  if (typeof value === "string") return resolveText(value, scope, 0);
  if (Array.isArray(value)) return value.map((one) => resolveValue(one, scope));
  return isJsonObject(value) ? resolveObject(value, scope) : value;
}

function resolveText(text: string, scope: Scope, depth: number): Json {
  const found = depth > MAX_DEPTH ? [] : findExpressions(text);
  const [only] = found;
  if (only !== undefined && depth === 0 && only.start === 0 && only.end === text.length) {
    return lookUp(only.path, scope, depth);
  }
  let result = "";
  let at = 0;
  for (const one of found) {
    result += text.slice(at, one.start) + embeddedText(lookUp(one.path, scope, depth));
    at = one.end;
  }
  return (result + text.slice(at)).replaceAll("$${", "${");
}

function lookUp(path: string, scope: Scope, depth: number): Json {
  const inner = resolveText(path, scope, depth + 1);
  const plain = embeddedText(inner);
  if (plain.trim() === "") return "";
  if (plain === TASK_ID_PARAMETER) return scope.taskId ?? null;
  const steps = parsePath(plain);
  return steps === undefined ? null : structuredClone(readPath(scope.root, steps));
}
