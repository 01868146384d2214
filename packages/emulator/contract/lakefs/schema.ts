import { readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";

/** The real server's description of itself: answers of both servers are held against it. */
const description: unknown = JSON.parse(
  readFileSync(new URL("../../openapi/lakefs-1.84.0.openapi.json", import.meta.url), "utf8"),
);

const ajv = new Ajv({ strict: false, allErrors: true });
for (const format of ["int32", "int64", "binary", "date-time", "uri"]) ajv.addFormat(format, true);
ajv.addSchema({ $id: "lakefs", ...record(description) });

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

interface Operation {
  readonly template: string;
  readonly pattern: RegExp;
  readonly method: string;
  readonly id: string;
  readonly responses: Record<string, unknown>;
}

const operations: readonly Operation[] = Object.entries(record(record(description)["paths"])).flatMap(
  ([template, item]) =>
    Object.entries(record(item)).map(([method, operation]) => ({
      template,
      method: method.toUpperCase(),
      id: String(record(operation)["operationId"]),
      pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
      responses: record(record(operation)["responses"]),
    })),
);

const seen = new Map<string, Set<number>>();

/** The operations that answered, by their name in the server's description, each with the statuses that came. */
export function seenAnswers(): ReadonlyMap<string, ReadonlySet<number>> {
  return seen;
}

const compiled = new Map<string, ValidateFunction>();

// What the real server does beside its own description.
const undocumented: ReadonlySet<string> = new Set([
  "PUT /repositories/{repository}/branches/{branch}/objects/stat/user_metadata 204",
]);

/** What is wrong with an answer by the server's description; none where it is as described. */
export function schemaFindings(method: string, path: string, status: number, body: unknown): string[] {
  const operation = operations.find((one) => one.method === method && one.pattern.test(path));
  if (operation === undefined) return [`no operation ${method} ${path} is described`];
  const label = `${method} ${operation.template} ${status}`;
  seen.set(operation.id, (seen.get(operation.id) ?? new Set()).add(status));
  if (undocumented.has(label)) return [];
  const response = record(operation.responses[String(status)] ?? operation.responses["default"]);
  if (Object.keys(response).length === 0) return [`${label}: this status is not described`];
  const pointer = response["$ref"];
  const resolved = typeof pointer === "string" ? record(lookUp(pointer)) : response;
  const schema = record(record(record(resolved["content"])["application/json"])["schema"]);
  if (Object.keys(schema).length === 0 || body === undefined) return [];
  const validate = compiled.get(label) ?? ajv.compile(withBase(schema));
  compiled.set(label, validate);
  if (validate(body)) return [];
  return (validate.errors ?? []).map((error) => `${label}: ${error.instancePath} ${error.message ?? ""}`);
}

function lookUp(pointer: string): unknown {
  let value: unknown = description;
  for (const part of pointer.replace(/^#\//, "").split("/")) value = record(value)[part];
  return value;
}

function withBase(schema: Record<string, unknown>): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"lakefs#/'));
}
