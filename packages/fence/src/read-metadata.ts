/**
 * A value as the server gave it; undefined where the key is not the record's own, so that `__proto__` and its kind are
 * no keys.
 */
export function ownValue(record: Readonly<Record<string, unknown>> | null | undefined, key: string): unknown {
  return typeof record === "object" && record !== null && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** A whole number >= 0 in its one decimal form, or undefined. */
export function parseWhole(text: unknown): number | undefined {
  if (typeof text !== "string" || !/^(?:0|[1-9]\d{0,15})$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}
