import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** A text file of the repository: its path from the root with `/`, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Folders that hold hand-written code. */
export const codeFolders = ["packages", "apps", "tools", "e2e", "bench"] as const;

const skippedFolders = new Set(["node_modules", "dist", ".turbo", "coverage", ".git", ".tmp"]);
const maxFileCount = 20_000;
const codeName = /\.(?:ts|mts|cts|js|mjs|cjs)$/;
const testPath = /(?:\.test\.[mc]?ts$)|(?:^|\/)(?:test|testing|fixtures|real|contract)\/|^e2e\//;

/** Whether the path is one of the source files that checks read (generated ones included). */
export function isCode(path: string): boolean {
  return codeName.test(path);
}

/**
 * Whether the path belongs to a test: a `*.test.ts`, or anything below `test/`, `testing/`, `fixtures/`, `real/`,
 * `contract/` or `e2e/`.
 */
export function isTest(path: string): boolean {
  return testPath.test(path);
}

/** Whether a tool wrote the file; such files are free of limits. */
export function isGenerated(path: string): boolean {
  return path.includes("/generated/");
}

/** The text of one file, or undefined where it does not exist. */
export function readText(root: string, path: string): string | undefined {
  return statSync(join(root, path), { throwIfNoEntry: false })?.isFile()
    ? readFileSync(join(root, path), "utf8")
    : undefined;
}

/** All files below the folders (those that exist) whose path is accepted, in order of path. */
export function readTree(root: string, folders: readonly string[], accept: (path: string) => boolean): SourceFile[] {
  const found: SourceFile[] = [];
  const pending = folders.filter((folder) => statSync(join(root, folder), { throwIfNoEntry: false })?.isDirectory());
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory() && !skippedFolders.has(entry.name)) pending.push(path);
      else if (entry.isFile() && accept(path)) found.push({ path, text: readFileSync(join(root, path), "utf8") });
    }
    if (found.length > maxFileCount) throw new Error(`more than ${maxFileCount} files below ${folders.join(", ")}`);
  }
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
