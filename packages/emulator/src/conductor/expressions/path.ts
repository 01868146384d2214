import { isJsonObject, type Json } from "../json.ts";

/** One step of a path. */
export type PathStep =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "slice"; readonly from: number | undefined; readonly to: number | undefined }
  | { readonly kind: "all" }
  | { readonly kind: "length" };

/** Longest path, letters; longer ones are not read. */
const MAX_PATH_LENGTH = 2_000;
const NAME = /^[^.[\]()'"*\s?@,:]+/;
const QUOTED = /^\[\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*\]/;
const INDEX = /^\[\s*(-?\d+)\s*\]/;
const SLICE = /^\[\s*(-?\d+)?\s*:\s*(-?\d+)?\s*\]/;

/**
 * Parses the part of JSONPath that workflows use: names, quoted names, indexes (negative ones too), slices, `[*]`, `.*`
 * and a last `.length()`. Undefined where it is none of that (filters, `..`, unions, other functions).
 */
export function parsePath(text: string): PathStep[] | undefined {
  if (text.length > MAX_PATH_LENGTH) return undefined;
  let rest = text.replace(/^\$\.?/, "");
  const steps: PathStep[] = [];
  while (rest !== "") {
    if (rest === ".length()") return [...steps, { kind: "length" }];
    const found = rest.startsWith("[") ? bracketStep(rest) : dottedStep(rest, steps.length === 0);
    if (found === undefined) return undefined;
    steps.push(found.step);
    rest = rest.slice(found.length);
  }
  return steps;
}

interface Found {
  readonly step: PathStep;
  readonly length: number;
}

function dottedStep(rest: string, isFirst: boolean): Found | undefined {
  const dot = rest.startsWith(".") ? 1 : 0;
  if (dot === 0 && !isFirst) return undefined;
  if (rest[dot] === "*") return { step: { kind: "all" }, length: dot + 1 };
  const name = NAME.exec(rest.slice(dot))?.[0];
  return name === undefined ? undefined : { step: { kind: "name", name }, length: dot + name.length };
}

function bracketStep(rest: string): Found | undefined {
  const all = /^\[\s*\*\s*\]/.exec(rest);
  if (all !== null) return { step: { kind: "all" }, length: all[0].length };
  const quoted = QUOTED.exec(rest);
  if (quoted !== null) {
    const name = (quoted[1] ?? quoted[2] ?? "").replaceAll(/\\(.)/g, "$1");
    return { step: { kind: "name", name }, length: quoted[0].length };
  }
  const index = INDEX.exec(rest);
  if (index !== null) return { step: { kind: "index", index: Number(index[1]) }, length: index[0].length };
  const slice = SLICE.exec(rest);
  if (slice === null) return undefined;
  return {
    step: { kind: "slice", from: optionalNumber(slice[1]), to: optionalNumber(slice[2]) },
    length: slice[0].length,
  };
}

function optionalNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

/** What a path finds; null where there is nothing (case C08). A path with a slice or `*` finds a list. */
export function readPath(root: Json, steps: readonly PathStep[]): Json {
  let found: Json[] = [root];
  let isMany = false;
  for (const step of steps) {
    if (step.kind === "all" || step.kind === "slice") isMany = true;
    found = found.flatMap((value) => take(value, step));
  }
  if (isMany) return found;
  return found[0] ?? null;
}

function take(value: Json, step: PathStep): Json[] {
  switch (step.kind) {
    case "name":
      return isJsonObject(value) && Object.hasOwn(value, step.name) ? present(value[step.name]) : [];
    case "index":
      return Array.isArray(value) ? present(value.at(step.index)) : [];
    case "slice":
      return Array.isArray(value) ? value.slice(step.from ?? 0, step.to) : [];
    case "all":
      if (Array.isArray(value)) return value;
      return isJsonObject(value) ? Object.values(value) : [];
    case "length":
      if (Array.isArray(value)) return [value.length];
      return isJsonObject(value) ? [Object.keys(value).length] : [];
  }
}

function present(value: Json | undefined): Json[] {
  return value === undefined ? [] : [value];
}
