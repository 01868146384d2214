import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { cut, safeText } from "../telemetry/line.ts";
import type { TaskFinding } from "./description.ts";

const MAX_WORDS_LENGTH = 1000;
const LOADED_ENDINGS: ReadonlySet<string> = new Set([".ts", ".mts", ".mjs", ".js"]);

/** A module path that may be imported, or why not. */
export type ResolvedModule =
  | { readonly ok: true; readonly modulePath: string }
  | { readonly ok: false; readonly finding: TaskFinding };

/**
 * Resolves the path of a task module against `folder` and checks that it is a file Node can load (fault J6); no code
 * runs. A symbolic link stands for the file that it leads to, which may lie anywhere.
 */
export async function resolveModulePath(given: string, folder: string): Promise<ResolvedModule> {
  // Two letters at least, so that C:\ is not taken for a scheme.
  if (/^[a-z][a-z0-9+.-]+:/i.test(given)) {
    return refuse("module_url", `${given} is a URL`, "Give a path of a file: tasks/build.ts.");
  }
  if (given.trim() === "" || given.includes("\0")) {
    return refuse("module_path", `${JSON.stringify(given)} is no path`, "Give a path of a file: tasks/build.ts.");
  }
  const absolute = path.resolve(folder, given);
  const found = await look(absolute);
  if (found === undefined) {
    return refuse("module_missing", `${given} does not exist or cannot be read`, "Correct the path.", absolute);
  }
  if (found.kind === "folder") {
    return refuse("module_folder", `${given} is a folder`, `Name its files: ${path.join(given, "*.ts")}.`, absolute);
  }
  if (found.kind === "other") {
    return refuse("module_no_file", `${given} is no regular file`, "Give the path of a file.", absolute);
  }
  const ending = path.extname(found.realPath);
  if (!LOADED_ENDINGS.has(ending)) {
    const hint = "Task modules end in .ts, .mts, .mjs or .js.";
    return refuse("module_extension", `${given} ends in ${JSON.stringify(ending)}`, hint, absolute);
  }
  return { ok: true, modulePath: found.realPath };
}

async function look(
  absolute: string,
): Promise<{ readonly kind: "file" | "folder" | "other"; readonly realPath: string } | undefined> {
  try {
    const realPath = await realpath(absolute);
    const stats = await stat(realPath);
    return { kind: stats.isFile() ? "file" : stats.isDirectory() ? "folder" : "other", realPath };
  } catch {
    return undefined;
  }
}

/** A path is any text, and shown to people (fault J5). */
function visible(text: string): string {
  return safeText(cut(text.toWellFormed(), MAX_WORDS_LENGTH));
}

function refuse(code: string, message: string, hint: string, modulePath?: string): ResolvedModule {
  const at = modulePath === undefined ? {} : { modulePath };
  const shown = { message: visible(message), hint: visible(hint) };
  return { ok: false, finding: { severity: "error", code, ...shown, ...at } };
}
