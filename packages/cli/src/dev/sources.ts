import { createHash } from "node:crypto";
import { readFileSync, watch, type FSWatcher } from "node:fs";
import path from "node:path";

/** Most files that are followed; further ones are not watched. */
const MAX_FILES = 2_000;
/** Several events of one save are one change. */
const SETTLE_MS = 120;

const RELATIVE_IMPORT = /(?:from|import)\s*\(?\s*["'](\.{1,2}\/[^"'\n]+)["']/g;

/** The modules and every file that they import by a relative path, directly or not, absolute; those that exist. */
export function sourceFiles(modules: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [...modules];
  for (let file = open.pop(); file !== undefined && found.size < MAX_FILES; file = open.pop()) {
    if (found.has(file)) continue;
    const text = readText(file);
    // One that is not there (yet) is watched for all the same.
    found.add(file);
    for (const [, specifier] of text?.matchAll(RELATIVE_IMPORT) ?? []) {
      if (specifier !== undefined) open.push(path.resolve(path.dirname(file), specifier));
    }
  }
  return found;
}

/** Changes with the bytes of any of the files, and with which of them exist. */
export function contentDigest(files: ReadonlySet<string>): string {
  const hash = createHash("sha256");
  for (const file of [...files].toSorted()) hash.update(JSON.stringify([file, readText(file) ?? null]));
  return hash.digest("hex");
}

/** Watches source files until closed. */
export interface SourceWatch {
  close(): void;
}

/**
 * Calls `onChange` after the content of a module, or of a file that it imports, has changed. A save that changes no
 * byte
 * is no change. Folders are watched, not files: editors put a new file in an old one's place.
 */
export function watchSources(modules: readonly string[], onChange: () => void): SourceWatch {
  const watchers = new Map<string, FSWatcher>();
  let files = sourceFiles(modules);
  let digest = contentDigest(files);
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    files = sourceFiles(modules);
    follow();
    const now = contentDigest(files);
    if (now === digest) return;
    digest = now;
    onChange();
  };
  const follow = (): void => {
    const folders = new Set([...files].map((file) => path.dirname(file)));
    for (const [folder, watcher] of watchers) {
      if (folders.has(folder)) continue;
      watcher.close();
      watchers.delete(folder);
    }
    for (const folder of folders) if (!watchers.has(folder)) watchFolder(folder);
  };
  const watchFolder = (folder: string): void => {
    try {
      const watcher = watch(folder, () => {
        clearTimeout(timer);
        timer = setTimeout(look, SETTLE_MS);
      });
      const drop = (): void => void watchers.delete(folder);
      watchers.set(folder, watcher.on("error", drop));
    } catch {
      // A folder that is not there has nothing to watch; the import's error says so.
    }
  };
  follow();
  return {
    close() {
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
