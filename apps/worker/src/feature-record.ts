import { z } from "zod";

/** One feature file: what was measured of one song, and by which feature set. */
export const featureRecord = z.strictObject({
  song: z.string().min(1),
  featureSet: z.string().min(1),
  sampleRateHz: z.int().min(1),
  sampleCount: z.int().min(1),
  durationSeconds: z.number().min(0),
  rms: z.number().min(0).max(1),
  peak: z.number().min(0).max(1),
  zeroCrossings: z.int().min(0),
  spectralCentroidHz: z.number().min(0),
});

/** What one feature file holds. */
export type FeatureRecord = z.infer<typeof featureRecord>;

/** The columns of the CSV form, in order. The JSON form has the same names in the same order. */
export const COLUMNS = featureRecord.keyof().options;

/** The JSON form: one object, indented, with a final newline. The same record gives the same bytes. */
export function toJson(record: FeatureRecord): string {
  return `${JSON.stringify(Object.fromEntries(COLUMNS.map((name) => [name, record[name]])), undefined, 2)}\n`;
}

/** The CSV form: a header and one row, RFC 4180 quoting, `\n` endings. The same record gives the same bytes. */
export function toCsv(record: FeatureRecord): string {
  return `${COLUMNS.join(",")}\n${COLUMNS.map((name) => quoted(String(record[name]))).join(",")}\n`;
}

function quoted(field: string): string {
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
