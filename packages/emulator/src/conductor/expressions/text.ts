import { isJsonObject, type Json } from "../json.ts";

/** A value inside a longer text, written as Conductor writes it: `{a=1, b=[x, y]}`, `null`. */
export function embeddedText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(embeddedText).join(", ")}]`;
  if (isJsonObject(value)) {
    return `{${Object.entries(value)
      .map(([name, one]) => `${name}=${embeddedText(one)}`)
      .join(", ")}}`;
  }
  return String(value);
}
