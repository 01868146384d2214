/** What JSON can say. */
export type Json = string | number | boolean | null | Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  [name: string]: Json;
}

/** True for an object that is no list and not null. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses JSON text. Throws a SyntaxError. */
export function parseJson(text: string): Json {
  const value: unknown = JSON.parse(text);
  if (!isJson(value)) throw new SyntaxError("not JSON");
  return value;
}

// JSON.parse makes nothing but JSON; the guard only tells the compiler.
function isJson(value: unknown): value is Json {
  return value !== undefined && typeof value !== "function" && typeof value !== "symbol";
}

/** A copy that shares nothing. */
export function copyJson<T extends Json>(value: T): T {
  return structuredClone(value);
}
