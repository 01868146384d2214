import { readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";

/** The documented part of an answer: its status and its body's schema. */
export interface Documented {
  readonly status: number;
  readonly check: ValidateFunction | undefined;
}

type Json = Record<string, unknown>;

const HTTP_METHODS = ["get", "post", "put", "delete"];

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function at(value: unknown, ...names: string[]): unknown {
  return names.reduce<unknown>((inner, name) => (isJson(inner) ? inner[name] : undefined), value);
}

/** Schemas of objects with named fields refuse other fields, so that neither side invents one. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isJson(schema)) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, one]) => [name, closed(one)]));
  const isOpen =
    inner["type"] === "object" && isJson(inner["properties"]) && inner["additionalProperties"] === undefined;
  return isOpen ? { ...inner, additionalProperties: false } : inner;
}

/** The OpenAPI of the real server: what it documents for an operation. */
export class Shapes {
  readonly #paths: { readonly pattern: RegExp; readonly item: Json }[] = [];
  readonly #ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });

  constructor(file: URL) {
    const document: unknown = JSON.parse(readFileSync(file, "utf8"));
    const schemas = closed(at(document, "components", "schemas"));
    this.#ajv.addSchema({ $id: "openapi", components: { schemas } });
    const paths = at(document, "paths");
    for (const [path, item] of Object.entries(isJson(paths) ? paths : {})) {
      const pattern = new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`);
      if (isJson(item)) this.#paths.push({ pattern, item });
    }
    // A path without parameters goes first.
    this.#paths.sort((a, b) => a.pattern.source.split("[^/]+").length - b.pattern.source.split("[^/]+").length);
  }

  /** What is documented for a request; undefined where the operation is not. */
  documented(method: string, path: string): Documented | undefined {
    const name = method.toLowerCase();
    if (!HTTP_METHODS.includes(name)) return undefined;
    const item = this.#paths.find((one) => one.pattern.test(path) && isJson(one.item[name]))?.item;
    const responses = at(item, name, "responses");
    const [entry] = Object.entries(isJson(responses) ? responses : {});
    if (entry === undefined) return undefined;
    const content = at(entry[1], "content");
    const [media] = Object.values(isJson(content) ? content : {});
    return { status: Number(entry[0]), check: this.#compile(at(media, "schema")) };
  }

  #compile(schema: unknown): ValidateFunction | undefined {
    if (!isJson(schema)) return undefined;
    return this.#ajv.compile(withId(closed(schema)));
  }
}

function withId(schema: unknown): Json {
  const text = JSON.stringify(schema).replaceAll("#/components/", "openapi#/components/");
  const value: unknown = JSON.parse(text);
  return isJson(value) ? value : {};
}
