import type { Context as HonoContext } from "hono";
import { badRequest } from "../errors.ts";

/** A JSON object of a request; its fields are read with their types. */
export class JsonBody {
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #place: string;

  constructor(fields: Readonly<Record<string, unknown>>, place = "") {
    this.#fields = fields;
    this.#place = place;
  }

  #refuse(name: string, why: string): Error {
    return badRequest(`request body has an error: doesn't match schema: Error at "${this.#place}/${name}": ${why}`);
  }

  #missing(name: string): Error {
    return this.#refuse(name, `property "${name}" is missing`);
  }

  /** A string that must be there. */
  string(name: string): string {
    const value = this.optionalString(name);
    if (value === undefined) throw this.#missing(name);
    return value;
  }

  /** A string that may be left out. */
  optionalString(name: string): string | undefined {
    const value = this.#fields[name];
    if (value === undefined) return undefined;
    if (typeof value !== "string") throw this.#refuse(name, "value must be a string");
    return value;
  }

  /** One of some strings. */
  oneOf(name: string, allowed: readonly string[]): string {
    const value = this.string(name);
    if (!allowed.includes(value)) throw this.#refuse(name, "value is not one of the allowed values");
    return value;
  }

  /** A boolean; false where it is left out. */
  flag(name: string): boolean {
    const value = this.#fields[name];
    if (value === undefined) return false;
    if (typeof value !== "boolean") throw this.#refuse(name, "value must be a boolean");
    return value;
  }

  /** A whole number that must be there. */
  integer(name: string): number {
    const value = this.optionalInteger(name);
    if (value === undefined) throw this.#missing(name);
    return value;
  }

  /** A whole number that may be left out. */
  optionalInteger(name: string): number | undefined {
    const value = this.#fields[name];
    if (value === undefined) return undefined;
    if (typeof value !== "number" || !Number.isInteger(value)) throw this.#refuse(name, "value must be an integer");
    return value;
  }

  /** Strings by name; undefined where they are left out. */
  optionalStrings(name: string): Record<string, string> | undefined {
    const value = this.#fields[name];
    if (value === undefined) return undefined;
    if (!isObject(value)) throw this.#refuse(name, "value must be an object");
    const strings: Record<string, string> = {};
    for (const [key, one] of Object.entries(value)) {
      if (typeof one !== "string") throw this.#refuse(`${name}/${key}`, "value must be a string");
      strings[key] = one;
    }
    return strings;
  }

  /** A list of strings that must be there. */
  list(name: string): string[] {
    const value = this.#fields[name];
    if (value === undefined) throw this.#missing(name);
    if (!Array.isArray(value)) throw this.#refuse(name, "value must be an array");
    return value.map((one: unknown, index) => {
      if (typeof one !== "string") throw this.#refuse(`${name}/${index}`, "value must be a string");
      return one;
    });
  }

  /** An object inside; undefined where it is left out. */
  optionalObject(name: string): JsonBody | undefined {
    const value = this.#fields[name];
    if (value === undefined) return undefined;
    if (!isObject(value)) throw this.#refuse(name, "value must be an object");
    return new JsonBody(value, `${this.#place}/${name}`);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The request's JSON; 400 where it is none. */
export async function readJson(http: HonoContext): Promise<unknown> {
  const text = await http.req.text();
  if (text === "") throw badRequest("request body has an error: value is required but missing");
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest("request body has an error: failed to decode request body");
  }
}

/** The request's JSON object; 400 where it is none. */
export async function readObject(http: HonoContext): Promise<JsonBody> {
  const value = await readJson(http);
  if (!isObject(value)) throw badRequest("request body has an error: doesn't match schema: value must be an object");
  return new JsonBody(value);
}

/** Like `readObject`; an empty body is an empty object. */
export async function readOptionalObject(http: HonoContext): Promise<JsonBody> {
  const text = await http.req.text();
  return text.trim() === "" ? new JsonBody({}) : readObject(http);
}

/** The request's JSON list of objects; 400 where it is none. */
export async function readObjects(http: HonoContext): Promise<JsonBody[]> {
  const value = await readJson(http);
  if (!Array.isArray(value))
    throw badRequest("request body has an error: doesn't match schema: value must be an array");
  return value.map((one: unknown, index) => {
    if (!isObject(one)) throw badRequest(`request body has an error: Error at "/${index}": value must be an object`);
    return new JsonBody(one, `/${index}`);
  });
}
