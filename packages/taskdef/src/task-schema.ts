import { z } from "zod";
import type { AnyTaskDefinition } from "./define-task.ts";
import { errorAt, joinPath, type Checked, type Finding } from "./finding.ts";
import { workspaceInputSchema } from "./input.ts";
import type { TaskSchemaDef } from "./task-def.ts";

/** Which half of a task a schema describes. */
export type SchemaSide = "input" | "output";

/**
 * The JSON Schema of a task's whole input or output: draft 7 with its `$schema` (case J02), the schemas' input side for
 * input and output side for output (case J04), everything inlined (case J01), the top level open. What JSON Schema
 * cannot say (Date, BigInt, a transform on the output side) is a finding that names task and field.
 */
export function taskSchema(task: AnyTaskDefinition, side: SchemaSide): Checked<TaskSchemaDef> {
  const shape = {
    ...(task.workspace === undefined ? {} : { workspace: workspaceInputSchema }),
    ...bodyShape(task, side),
  };
  const findings: Finding[] = [];
  const closed = side === "output" || task.strictParams;
  try {
    const schema = z.toJSONSchema(z.looseObject(shape), {
      io: side,
      target: "draft-7",
      unrepresentable: ({ path, message }) => {
        findings.push(unrepresentable(task, side, fieldPath(path), message));
        return "any";
      },
      override: ({ zodSchema, jsonSchema, path }) => {
        if (path.length === 0) delete jsonSchema.additionalProperties;
        else if (closed && isStripping(zodSchema)) jsonSchema.additionalProperties = false;
      },
    });
    if (findings.length > 0) return { ok: false, findings };
    // The copy drops what zod hangs on the schema beside its data.
    const data: Record<string, unknown> = { ...schema };
    return { ok: true, value: { name: `${task.name}.${side}`, version: 1, type: "JSON", data } };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, findings: locate(task, side, reason) };
  }
}

/** An object schema that says nothing about unknown fields: they are refused here where the run refuses them. */
function isStripping(schema: z.core.$ZodType): boolean {
  const def: object & { readonly type: string } = schema._zod.def;
  return def.type === "object" && !("catchall" in def && def.catchall !== undefined);
}

function bodyShape(task: AnyTaskDefinition, side: SchemaSide): Record<string, z.ZodObject> {
  return side === "input" ? { params: task.params } : { result: task.output };
}

function unrepresentable(task: AnyTaskDefinition, side: SchemaSide, field: string, reason: string): Finding {
  const hint =
    side === "input"
      ? "Take a text or number in JSON's own types, and convert it in a transform or in the body."
      : "Return a text or number in JSON's own types; convert in the body, not in the output schema.";
  return errorAt(field, "schema_not_json", `task ${JSON.stringify(task.name)}, field ${field}: ${reason}`, hint);
}

/** Zods that know no handler throw on the first such field: find out which top fields it may be. */
function locate(task: AnyTaskDefinition, side: SchemaSide, reason: string): Finding[] {
  const [[root, schema] = ["", undefined]] = Object.entries(bodyShape(task, side));
  const found = Object.entries(schema?.shape ?? {}).flatMap(([key, field]) => {
    try {
      z.toJSONSchema(field, { io: side, target: "draft-7" });
      return [];
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return [unrepresentable(task, side, joinPath(root, key), why)];
    }
  });
  return found.length > 0 ? found : [unrepresentable(task, side, root, reason)];
}

const ALTERNATIVES: ReadonlySet<string | number> = new Set(["anyOf", "oneOf", "allOf"]);

/** A field's path from a path through its JSON Schema: `properties.params.properties.a.items` is `params.a[]`. */
function fieldPath(path: readonly (string | number)[]): string {
  let field = "";
  for (let at = 0; at < path.length; at += 1) {
    const [word = "", next] = [path[at], path[at + 1]];
    if (word === "properties" && next !== undefined) {
      field = joinPath(field, String(next));
      at += 1;
    } else if (word === "items" && typeof next === "number") {
      field = joinPath(field, next);
      at += 1;
    } else if (ALTERNATIVES.has(word)) at += 1;
    else if (word === "items" || word === "additionalItems") field += "[]";
    else if (word === "additionalProperties") field += "[*]";
  }
  return field;
}
