import * as fc from "fast-check";
import { hostileJson, hostileText } from "./hostile.ts";

/** A value with whether it was left as it was made. */
export interface Mutated<T> {
  readonly value: unknown;
  /** The sound value it was made from; `value` equals it where nothing was broken. */
  readonly sound: T;
  readonly isSound: boolean;
}

const MAX_PLACES = 200;

/**
 * Sound values, and sound values with one or two places broken: a field removed, replaced, added or renamed. Random
 * bytes stop at a parser's first line; these reach its last.
 */
export function mutated<T>(
  sound: fc.Arbitrary<T>,
  wrong: fc.Arbitrary<unknown> = hostileJson,
): fc.Arbitrary<Mutated<T>> {
  const blow = fc.record({
    place: fc.nat({ max: 10_000 }),
    deed: fc.constantFrom("remove", "replace", "add", "rename"),
    wrong,
    name: hostileText,
  });
  const blows = fc.oneof(
    { weight: 1, arbitrary: fc.constant([]) },
    { weight: 6, arbitrary: fc.array(blow, { minLength: 1, maxLength: 2 }) },
  );
  return fc.tuple(sound, blows).map(([from, deeds]) => {
    const holder = { root: structuredClone(from) as unknown };
    for (const { place, deed, wrong: value, name } of deeds) {
      const places = placesOf(holder.root);
      strike(holder, places[place % (places.length + 1)] ?? [], { deed, value: structuredClone(value), name });
    }
    return { value: holder.root, sound: from, isSound: deeds.length === 0 };
  });
}

function placesOf(
  value: unknown,
  path: readonly string[] = [],
  found: (readonly string[])[] = [],
): (readonly string[])[] {
  if (typeof value !== "object" || value === null || path.length > 8) return found;
  for (const key of Object.keys(value)) {
    if (found.length >= MAX_PLACES) break;
    const at = [...path, key];
    found.push(at);
    placesOf(Reflect.get(value, key), at, found);
  }
  return found;
}

interface Blow {
  readonly deed: "remove" | "replace" | "add" | "rename";
  readonly value: unknown;
  readonly name: string;
}

function strike(holder: { root: unknown }, path: readonly string[], { deed, value, name }: Blow): void {
  let parent: unknown = holder;
  let key: string = "root";
  for (const next of path) {
    parent = Reflect.get(Object(parent), key);
    key = next;
  }
  const target: object = Object(parent);
  if (deed === "replace") return define(target, key, value);
  const here: unknown = Reflect.get(target, key);
  if (deed === "add") return define(typeof here === "object" && here !== null ? here : target, name, value);
  if (path.length === 0) return define(target, key, value);
  Reflect.deleteProperty(target, key);
  if (deed === "rename") define(target, name, here);
}

/** Not by assignment: `__proto__` must become a field. */
function define(target: object, key: string, value: unknown): void {
  if (Object.isFrozen(target) || ArrayBuffer.isView(target)) return;
  // A list has no names, in JSON and over a channel.
  if (Array.isArray(target) && !/^\d{1,4}$/.test(key)) return void target.push(value);
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** JSON text of values, and what broken servers and proxies make of it: cut, doubled, wrapped, or a page. */
export function brokenJson(value: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  return fc.tuple(value, fc.nat({ max: 9 }), fc.nat({ max: 1000 }), hostileText).map(([from, style, at, text]) => {
    const json = JSON.stringify(from) ?? "";
    switch (style) {
      case 0:
        return json.slice(0, Math.floor((json.length * at) / 1000));
      case 1:
        return `${json}${text}`;
      case 2:
        return `\ufeff${json}`;
      case 3:
        return `<!DOCTYPE html><html><body>${text}</body></html>`;
      case 4:
        // The same key twice: the last one counts for us, the first one may have for whoever checked before us.
        return json.replace(/^\{/, `{"id":${JSON.stringify(text)},"taskId":1,"pagination":{},`);
      case 5:
        return json.replaceAll(/\d+/g, (digits) => (at % 2 === 0 ? "NaN" : `${digits}e400`));
      case 6:
        return text;
      default:
        return json;
    }
  });
}
