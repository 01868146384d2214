import document from "../../openapi/lakefs-1.84.0.openapi.json" with { type: "json" };

/** The real server's description of itself (Apache-2.0, see the README), as it serves it. */
export const openapiText: string = JSON.stringify(document);

interface Operation {
  readonly method: string;
  readonly path: RegExp;
  readonly id: string;
}

const methods: ReadonlySet<string> = new Set(["get", "put", "post", "delete", "head", "patch"]);
let known: readonly Operation[] | undefined;

/** The name of the real server's operation for a request (path below `/api/v1`); undefined where it has none. */
export function operationOf(method: string, path: string): string | undefined {
  known ??= listOperations();
  return known.find((one) => one.method === method.toLowerCase() && one.path.test(path))?.id;
}

function listOperations(): Operation[] {
  const operations: Operation[] = [];
  for (const [path, item] of Object.entries<object>(document.paths)) {
    const source = path.replaceAll(/[.]/g, String.raw`\.`).replaceAll(/\{\w+\}/g, "[^/]+");
    for (const [method, operation] of Object.entries<unknown>({ ...item })) {
      if (!methods.has(method) || typeof operation !== "object" || operation === null) continue;
      const id = "operationId" in operation ? String(operation.operationId) : path;
      operations.push({ method, path: new RegExp(`^${source}$`), id });
    }
  }
  return operations;
}
