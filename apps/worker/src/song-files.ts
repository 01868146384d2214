import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/** Where songs come in, below the workspace. */
export const RAW = "raw";
/** Where feature files go, below the workspace. Its .json and .csv files belong to `features.build`. */
export const FEATURES = "features";

const SONG_ENDING = ".wav";
const FEATURE_ENDINGS = [".json", ".csv"];
const SHOWN = 10;

/** The names of all songs below `raw/`: paths with `/` and without `.wav`, in code unit order. */
export async function listSongs(workspace: string): Promise<string[]> {
  const files = await listFiles(join(workspace, RAW));
  return files.filter((file) => file.endsWith(SONG_ENDING)).map((file) => file.slice(0, -SONG_ENDING.length));
}

/** All feature files below `features/`, as paths with `/` below that folder, in code unit order. */
export async function listFeatureFiles(workspace: string): Promise<string[]> {
  const files = await listFiles(join(workspace, FEATURES));
  return files.filter((file) => FEATURE_ENDINGS.some((ending) => file.endsWith(ending)));
}

/** The problems of many files in one line: at most ten of them, and how many more there are. */
export function summariseProblems(problems: readonly string[]): string {
  const shown = problems.slice(0, SHOWN).join("; ");
  return problems.length > SHOWN ? `${shown}; and ${problems.length - SHOWN} more` : shown;
}

/**
 * Every file below `folder`, sorted by code units so that the order is the same on every machine; none where it is
 * missing.
 */
async function listFiles(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
      .toSorted();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
