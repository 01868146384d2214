import { internal } from "./errors.ts";
import { isJsonObject, type Json, type JsonObject } from "./json.ts";

/**
 * Reads the fields of a request's body as Conductor's own reader does: numbers in quotes count, null is the default,
 * unknown fields are ignored, and what cannot be read is a 500 "JSON parse error".
 */
export class Fields {
  readonly #object: JsonObject;
  readonly #what: string;

  constructor(value: Json | undefined, what: string) {
    if (!isJsonObject(value)) throw unreadable(what, "an object", value);
    this.#object = value;
    this.#what = what;
  }

  /** A field as it is; undefined for null too. */
  raw(name: string): Json | undefined {
    return this.#object[name] ?? undefined;
  }

  /** Text; numbers and booleans are written out. */
  text(name: string): string | undefined {
    const value = this.raw(name);
    if (value === undefined || typeof value === "string") return value;
    if (typeof value === "object") throw unreadable(`${this.#what}.${name}`, "a text", value);
    return String(value);
  }

  /** A whole number. */
  int(name: string, fallback: number): number {
    return this.optionalInt(name) ?? fallback;
  }

  /** A whole number, where it is there. */
  optionalInt(name: string): number | undefined {
    const value = this.raw(name);
    if (value === undefined || value === "") return undefined;
    const number = typeof value === "string" ? Number(value) : value;
    if (typeof number !== "number" || !Number.isFinite(number)) {
      throw unreadable(`${this.#what}.${name}`, "a number", value);
    }
    return Math.trunc(number);
  }

  /** A boolean. */
  flag(name: string, fallback: boolean): boolean {
    const value = this.raw(name);
    if (value === undefined) return fallback;
    if (value === "true" || value === true) return true;
    if (value === "false" || value === false) return false;
    throw unreadable(`${this.#what}.${name}`, "a boolean", value);
  }

  /** An object; left out: an empty one. */
  object(name: string): JsonObject {
    const value = this.raw(name);
    if (value === undefined) return {};
    if (!isJsonObject(value)) throw unreadable(`${this.#what}.${name}`, "an object", value);
    return value;
  }

  /** A list; left out: an empty one. */
  list(name: string): Json[] {
    const value = this.raw(name);
    if (value === undefined) return [];
    if (!Array.isArray(value)) throw unreadable(`${this.#what}.${name}`, "a list", value);
    return value;
  }

  /** A list of texts. */
  texts(name: string): string[] {
    return this.list(name).map((one) => {
      if (typeof one === "object") throw unreadable(`${this.#what}.${name}`, "texts", one);
      return String(one);
    });
  }

  /** One of some words. */
  word<W extends string>(name: string, words: readonly W[]): W | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    const found = words.find((word) => word === value);
    if (found === undefined) {
      const got = JSON.stringify(value);
      throw internal(
        `JSON parse error: ${this.#what}.${name}: ${got} is not one of the values accepted: [${words.join(", ")}]`,
      );
    }
    return found;
  }
}

const EXCERPT_LENGTH = 60;

function unreadable(where: string, wanted: string, value: Json | undefined): Error {
  const got = (JSON.stringify(value) ?? "nothing").slice(0, EXCERPT_LENGTH);
  return internal(`JSON parse error: ${where} must be ${wanted}, not ${got}`);
}
