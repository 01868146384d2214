import type { AnyTaskDefinition } from "./define-task.ts";
import { droppedFields } from "./dropped-fields.ts";
import { errorAt, type Checked } from "./finding.ts";
import { parseSafely, refuseUnknown } from "./input.ts";
import { toPlainJson, utf8SizeBytes, type JsonObject, type JsonValue } from "./plain-json.ts";

/** Bytes of serialised output that are accepted (rule I3); the engine drops more than 3 MiB silently (case J08). */
export const DEFAULT_OUTPUT_LIMIT_BYTES = 3_000_000;

const CODE = "output_invalid";

/**
 * Checks what a body returned (rule I3, cases J05 and J07): plain JSON, an object at the top, accepted by the output
 * schema, no unknown fields. Returns the parsed result as plain JSON. Findings have the code `output_invalid`.
 */
export async function checkOutput(
  task: Pick<AnyTaskDefinition, "output">,
  value: unknown,
): Promise<Checked<JsonObject>> {
  const plain = readPlainObject(value);
  if (!plain.ok) return plain;
  const parsed = await parseSafely(task.output, plain.value, "result", CODE);
  if (!parsed.ok) return parsed;
  const unknown = droppedFields(task.output, plain.value, parsed.value, "result");
  if (unknown.length > 0) return refuseUnknown(unknown, CODE);
  // A schema's defaults and codecs may bring in what JSON cannot hold.
  return readPlainObject(parsed.value);
}

function readPlainObject(value: unknown): Checked<JsonObject> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const what = Array.isArray(value)
      ? "a list"
      : value === null
        ? "null"
        : value === undefined
          ? "nothing"
          : `a ${typeof value}`;
    const message = `the body returned ${what}, not an object`;
    return {
      ok: false,
      findings: [errorAt("result", CODE, message, "Return an object that the output schema accepts.")],
    };
  }
  const plain = toPlainJson(value, "result", CODE);
  if (plain.findings.length > 0) return { ok: false, findings: plain.findings };
  if (isJsonObject(plain.value)) return { ok: true, value: plain.value };
  throw new TypeError("a plain object was copied as something else");
}

function isJsonObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An output as it is sent, with its size. */
export interface SerializedOutput {
  readonly json: string;
  readonly sizeBytes: number;
}

/**
 * Serialises a whole output (workspace and result) and measures it in UTF-8 bytes before anything is staged (rule I3,
 * case J08). Above the limit: one finding, `output_too_large`. Exactly the limit is accepted.
 */
export function serializeOutput(
  output: JsonObject,
  limitBytes: number = DEFAULT_OUTPUT_LIMIT_BYTES,
): Checked<SerializedOutput> {
  const json = JSON.stringify(output);
  const sizeBytes = utf8SizeBytes(json);
  if (sizeBytes <= limitBytes) return { ok: true, value: { json, sizeBytes } };
  const message = `the output is ${sizeBytes} bytes, more than ${limitBytes}`;
  const hint = "Write large results to files in the workspace and return their names.";
  return { ok: false, findings: [errorAt("", "output_too_large", message, hint)] };
}
