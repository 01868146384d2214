import { styleText } from "node:util";
import { safeText } from "./line.ts";

/** One JSON log line as one line for people: time, level, message, fields. What is no JSON is shown as it is. */
export function prettyLine(json: string): string {
  const record = parse(json);
  if (record === undefined) return safeText(json);
  const { time, level, msg, ...fields } = record;
  const shown = Object.entries(fields).map(([key, value]) => `${key}=${show(value)}`);
  const clock = typeof time === "string" ? time.slice(11, 23) : "";
  return [clock, paint(String(level)), safeText(String(msg ?? "")), safeText(shown.join(" "))].join(" ").trimEnd();
}

function parse(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function show(value: unknown): string {
  return typeof value === "string" && /^[\w./:@%+-]+$/.test(value) ? value : JSON.stringify(value);
}

function paint(level: string): string {
  const padded = level.padEnd(5);
  if (level === "error") return styleText("red", padded);
  return level === "warn" ? styleText("yellow", padded) : padded;
}
