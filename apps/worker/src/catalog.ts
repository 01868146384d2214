import { z } from "zod";

const EARLIEST_YEAR = 1877; // the first sound recording that could be played back
const LATEST_YEAR = 2100;

/** What the catalog says about one song. `song` is the file's path below `raw/`, without `.wav`. */
export const songMetadata = z.strictObject({
  song: z.string().regex(/^[a-z0-9]+(?:[-/][a-z0-9]+)*$/, "expected lower-case words joined by - or /"),
  title: z.string().trim().min(1).max(200),
  artist: z.string().trim().min(1).max(200),
  year: z.int().min(EARLIEST_YEAR).max(LATEST_YEAR).optional(),
});

/** What the catalog says about one song. */
export type SongMetadata = z.infer<typeof songMetadata>;

/** Why one entry was refused. `song` is its name where it has one that is a string. */
export interface RefusedEntry {
  readonly index: number;
  readonly song: string | null;
  readonly reasons: string[];
}

/**
 * Sorts entries into songs that the catalog takes, in the order given, and entries that it refuses, with all reasons.
 */
export function sortEntries(entries: readonly unknown[]): { accepted: SongMetadata[]; refused: RefusedEntry[] } {
  const accepted = new Map<string, SongMetadata>();
  const refused: RefusedEntry[] = [];
  entries.forEach((entry, index) => {
    const parsed = songMetadata.safeParse(entry);
    if (!parsed.success) {
      refused.push({ index, song: nameOf(entry), reasons: parsed.error.issues.map(describe) });
    } else if (accepted.has(parsed.data.song)) {
      refused.push({ index, song: parsed.data.song, reasons: ["song: named by an earlier entry"] });
    } else {
      accepted.set(parsed.data.song, parsed.data);
    }
  });
  return { accepted: [...accepted.values()], refused };
}

function describe(issue: z.core.$ZodIssue): string {
  return issue.path.length === 0 ? issue.message : `${issue.path.map(String).join(".")}: ${issue.message}`;
}

function nameOf(entry: unknown): string | null {
  if (typeof entry !== "object" || entry === null || !("song" in entry)) return null;
  return typeof entry.song === "string" ? entry.song : null;
}
