const SIZE_UNITS: Readonly<Record<string, number>> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };
const DURATION_UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Reads `512KB`, `100MB`, `1.5GB` or `3000000B` as bytes; units are powers of 1024. Undefined where the text is not
 * such a size, or not above 0.
 */
export function parseSizeBytes(text: string): number | undefined {
  const match = /^((?:0|[1-9]\d*)(?:\.\d{1,6})?)\s*(B|KB|MB|GB)$/i.exec(text.trim());
  const unit = SIZE_UNITS[match?.[2]?.toUpperCase() ?? ""];
  if (match?.[1] === undefined || unit === undefined) return undefined;
  const sizeBytes = Math.ceil(Number(match[1]) * unit);
  return sizeBytes > 0 && Number.isSafeInteger(sizeBytes) ? sizeBytes : undefined;
}

/**
 * Reads `30s`, `5m`, `24h` or `30d` as milliseconds. Undefined where the text is not such a duration, or not above 0.
 */
export function parseDurationMs(text: string): number | undefined {
  const match = /^([1-9]\d{0,8})([smhd])$/i.exec(text.trim());
  const unitMs = DURATION_UNITS_MS[match?.[2]?.toLowerCase() ?? ""];
  if (match?.[1] === undefined || unitMs === undefined) return undefined;
  const durationMs = Number(match[1]) * unitMs;
  return Number.isSafeInteger(durationMs) ? durationMs : undefined;
}
