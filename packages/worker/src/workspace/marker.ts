import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

/**
 * Name of the attempt marker. It lies beside the workspace folder, never in it, so no projection can hold it (rule
 * T6).
 */
export const MARKER_NAME = ".perago-attempt.json";
/** Longest marker that is read, bytes; ours are far shorter. */
const MARKER_MAX_BYTES = 16 * 1024;

const markerSchema = z.object({
  kind: z.literal("perago.attempt"),
  version: z.literal(1),
  workerId: z.string().min(1),
  executionId: z.string().min(1),
  taskId: z.string(),
  /**
   * The host that made it: process id, and when that process started (wall clock, milliseconds; a pid alone is used
   * again).
   */
  pid: z.int().min(0),
  processStartedAtMs: z.number(),
  /** Wall clock, milliseconds; for the age only (rule X3). */
  createdAtMs: z.number(),
});

/** What says that a folder is an attempt's of this software, and whose (rule X3). */
export type AttemptMarker = z.infer<typeof markerSchema>;

/** Writes the marker so that it is there whole or not at all. */
export async function writeMarker(attemptFolder: string, marker: AttemptMarker): Promise<void> {
  const temporary = join(attemptFolder, `${MARKER_NAME}.new`);
  await writeFile(temporary, `${JSON.stringify(marker)}\n`, { mode: 0o600 });
  await rename(temporary, join(attemptFolder, MARKER_NAME));
}

/** Reads the marker; undefined where there is none, or none of ours: such a folder is left alone. */
export async function readMarker(attemptFolder: string): Promise<AttemptMarker | undefined> {
  try {
    const text = await readFile(join(attemptFolder, MARKER_NAME), "utf8");
    if (text.length > MARKER_MAX_BYTES) return undefined;
    const parsed = markerSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
