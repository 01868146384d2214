import { isUtf8 } from "node:buffer";
import { lstatSync, readdirSync, type Dirent } from "node:fs";
import { join } from "node:path";

/** Something in the folder that can be no object (rule T7). */
export interface FolderDefect {
  /** Relative; bytes that are no UTF-8 are shown as replacement characters. */
  readonly path: string;
  readonly what: string;
}

/** Deepest tree that is walked. */
const maxDepth = 512;

function kindOf(entry: {
  [K in "isSymbolicLink" | "isSocket" | "isFIFO" | "isBlockDevice" | "isCharacterDevice"]: () => boolean;
}): string {
  if (entry.isSymbolicLink()) return "a symbolic link";
  if (entry.isSocket()) return "a socket";
  if (entry.isFIFO()) return "a FIFO";
  return entry.isBlockDevice() || entry.isCharacterDevice() ? "a device" : "of an unknown kind";
}

/**
 * Walks a folder without following anything and yields the relative paths of its files, directory by directory. What is
 * neither file nor directory goes to `onDefect` (rule T7, case T01). `excludedPaths` are left out by exact name only.
 */
export function* walkFolder(
  folder: string,
  excludedPaths: ReadonlySet<string>,
  onDefect: (defect: FolderDefect) => void,
): Generator<string> {
  const open: string[] = [""];
  for (let directory = open.pop(); directory !== undefined; directory = open.pop()) {
    if (directory.split("/").length > maxDepth) {
      onDefect({ path: directory, what: `deeper than ${maxDepth} directories` });
      continue;
    }
    for (const entry of entriesOf(folder, directory, onDefect)) {
      const name = entry.name.toString("utf8");
      const path = directory === "" ? name : `${directory}/${name}`;
      if (!isUtf8(entry.name)) onDefect({ path, what: "a name that is not UTF-8" });
      else if (excludedPaths.has(path)) continue;
      else if (entry.isDirectory()) open.push(path);
      else if (entry.isFile()) yield path;
      else onDefect({ path, what: kindOf(entry) });
    }
  }
}

function entriesOf(
  folder: string,
  directory: string,
  onDefect: (defect: FolderDefect) => void,
): Dirent<NonSharedBuffer>[] {
  const absolute = join(folder, directory);
  try {
    const stats = lstatSync(absolute);
    if (!stats.isDirectory()) {
      onDefect({ path: directory === "" ? "." : directory, what: "no directory any more" });
      return [];
    }
    // Root reads what nobody may read: the owner's bits decide for every user alike (case T04).
    if ((stats.mode & 0o500) !== 0o500) throw Object.assign(new Error("unreadable"), { code: "EACCES" });
    return readdirSync(absolute, { encoding: "buffer", withFileTypes: true });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    onDefect({ path: directory === "" ? "." : directory, what: `an unreadable directory (${code})` });
    return [];
  }
}
