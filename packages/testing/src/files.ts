import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { TestingError } from "./errors.ts";

/** Files by their path below the workspace folder, joined by `/`; a string is UTF-8. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** Bytes by path; an object without prototype, so that every path is a plain key. */
export type FileBytes = Readonly<Record<string, Buffer>>;

/** The bytes of a file. */
export function bytesOf(content: string | Uint8Array): Buffer {
  return typeof content === "string" ? Buffer.from(content) : Buffer.from(content);
}

/** A record of bytes in order of path. */
export function toFileBytes(entries: readonly (readonly [string, Buffer])[]): FileBytes {
  const record: Record<string, Buffer> = Object.create(null);
  for (const [name, bytes] of entries.toSorted(([a], [b]) => (a < b ? -1 : 1))) record[name] = bytes;
  return record;
}

/** Throws a TestingError where a path leaves its folder or has no plain form. */
export function checkPaths(files: Files): void {
  for (const name of Object.keys(files)) {
    const segments = name.split("/");
    if (!name.includes("\0") && segments.every((segment) => !["", ".", ".."].includes(segment))) continue;
    const message = `${JSON.stringify(name)} is no path of a file in a workspace`;
    throw new TestingError("files_refused", message, "Write it relative and plain: raw/song.wav");
  }
}

/** A temporary folder, removed by `remove`. */
export async function openTemporary(label: string): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), `perago-${label}-`)));
  return { path: folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }) };
}

/** Writes the files below a folder. */
export async function writeFiles(folder: string, files: Files): Promise<void> {
  checkPaths(files);
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

/** All plain files below a folder. */
export async function readFiles(folder: string): Promise<FileBytes> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const read = files.map(async (file): Promise<readonly [string, Buffer]> => {
    return [path.relative(folder, file).split(path.sep).join("/"), await readFile(file)];
  });
  return toFileBytes(await Promise.all(read));
}
