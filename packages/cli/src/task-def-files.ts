import { mkdir, readdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { formatTaskDef, type TaskDef } from "@perago/taskdef";
import { CommandError } from "./command-error.ts";
import { EXIT } from "./exit-codes.ts";

const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Where TaskDefs lie: all in one file as an array, or one file each in a folder. */
export type Place = { readonly kind: "file" | "folder"; readonly path: string };

/** An existing folder, or a trailing slash, means a folder. */
export async function placeOf(folder: string, given: string): Promise<Place> {
  const absolute = path.resolve(folder, given);
  const isFolder = given.endsWith("/") || (await isExistingFolder(absolute));
  return { kind: isFolder ? "folder" : "file", path: absolute };
}

/** All TaskDefs as an array: the text that extract prints. Same code, same bytes. */
export function formatTaskDefs(taskDefs: readonly TaskDef[]): string {
  return `${JSON.stringify(taskDefs, null, 2)}\n`;
}

/**
 * Writes the TaskDefs and answers the paths; each file appears whole or not at all. Throws CommandError with exit code
 * 2.
 */
export async function writeTaskDefs(place: Place, taskDefs: readonly TaskDef[]): Promise<readonly string[]> {
  if (place.kind === "file") {
    await writeWhole(place.path, formatTaskDefs(taskDefs));
    return [place.path];
  }
  await guarded(place.path, "written", () => mkdir(place.path, { recursive: true }));
  const written: string[] = [];
  for (const taskDef of taskDefs) {
    const file = fileOf(place, taskDef.name);
    await writeWhole(file, formatTaskDef(taskDef));
    written.push(file);
  }
  return written;
}

/**
 * What lies there now, by task name. A file that is not there has nothing; one that is no JSON is a CommandError with
 * exit code 1.
 */
export async function readTaskDefs(place: Place, names: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
  if (place.kind === "folder") {
    const entries = await Promise.all(names.map(async (name) => [name, await readJson(fileOf(place, name))] as const));
    return new Map(entries.filter(([, value]) => value !== undefined));
  }
  const value = await readJson(place.path);
  if (value === undefined) return new Map();
  if (!Array.isArray(value)) throw notTaskDefs(place.path, "it holds no array");
  return new Map(value.map((each, index) => [nameOf(each) ?? `[${index}]`, each]));
}

/** Files of a folder that look like TaskDefs of tasks that are not among the names. */
export async function otherTaskDefs(place: Place, names: readonly string[]): Promise<readonly string[]> {
  if (place.kind === "file" || !(await isExistingFolder(place.path))) return [];
  const own = new Set(names.map((name) => `${name}.json`));
  const files = await guarded(place.path, "read", () => readdir(place.path));
  return files.filter((file) => file.endsWith(".json") && !own.has(file)).toSorted();
}

function fileOf(place: Place, name: string): string {
  return path.join(place.path, `${name}.json`);
}

function nameOf(value: unknown): string | undefined {
  return typeof value === "object" && value !== null && "name" in value && typeof value.name === "string"
    ? value.name
    : undefined;
}

async function isExistingFolder(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isDirectory();
  } catch {
    return false;
  }
}

async function readJson(file: string): Promise<unknown> {
  const text = await guarded(file, "read", async () => {
    try {
      if ((await stat(file)).size > MAX_FILE_BYTES)
        throw notTaskDefs(file, `it is larger than ${MAX_FILE_BYTES} bytes`);
      return await readFile(file, "utf8");
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    }
  });
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    throw notTaskDefs(file, "it is no JSON");
  }
}

/** A link is followed: it stays a link, and what it leads to is replaced. */
async function writeWhole(file: string, text: string): Promise<void> {
  await guarded(file, "written", async () => {
    const target = await realpath(file).catch(() => file);
    const temporary = path.join(path.dirname(target), `.perago-${process.pid}.tmp`);
    try {
      await writeFile(temporary, text);
      await rename(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  });
}

async function guarded<T>(file: string, verb: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError({
      exitCode: EXIT.usage,
      code: "path_unusable",
      message: `${file} cannot be ${verb}: ${codeOf(error) ?? "unknown reason"}`,
      hint: "Name a path that can be; folders above a file must be there.",
      cause: error,
    });
  }
}

function notTaskDefs(file: string, why: string): CommandError {
  return new CommandError({
    exitCode: EXIT.bad,
    code: "not_task_defs",
    message: `${file} is not what extract writes: ${why}`,
    hint: `Write it anew: perago extract <modules...> -o ${file}`,
  });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
