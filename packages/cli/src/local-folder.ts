import { constants } from "node:fs";
import { copyFile, mkdir, mkdtemp, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { listFolder, SyncError } from "@perago/lakefs-sync";
import { CommandError } from "./command-error.ts";
import { EXIT } from "./exit-codes.ts";

/** The folder that a local run works on. */
export interface LocalFolder {
  readonly path: string;
  /** Whether it is still there after the run. */
  readonly isKept: boolean;
  /** Removes a copy that is not to be kept. */
  leave(): Promise<void>;
}

/** The given folder, where it is one; else a CommandError with exit code 2. */
export async function requireFolder(folder: string, given: string): Promise<string> {
  const absolute = path.resolve(folder, given);
  const found = await stat(absolute).catch(() => undefined);
  if (found?.isDirectory() === true) return await realpath(absolute);
  const what = found === undefined ? "does not exist or cannot be read" : "is no folder";
  const hint = "Name the folder that the task is to work on.";
  throw new CommandError({ exitCode: EXIT.usage, code: "workspace_folder", message: `${given} ${what}`, hint });
}

/** The folder itself: what the body writes stays. */
export function inPlace(folder: string): LocalFolder {
  return { path: folder, isKept: true, leave: () => Promise.resolve() };
}

/**
 * A copy of the folder's files, as a host would bring them in: without empty directories (rule T10). What cannot be
 * content is a CommandError with exit code 1 (rule T7).
 */
export async function copyOf(
  folder: string,
  { prefix, keep }: { readonly prefix: string; readonly keep: boolean },
): Promise<LocalFolder> {
  const paths = listed(folder, prefix);
  const parent = await realpath(await mkdtemp(path.join(tmpdir(), "perago-run-")));
  const copy = path.join(parent, "workspace");
  const remove = (): Promise<void> => rm(parent, { recursive: true, force: true });
  try {
    await mkdir(copy);
    for (const file of paths) {
      await mkdir(path.dirname(path.join(copy, file)), { recursive: true });
      await copyFile(path.join(folder, file), path.join(copy, file), constants.COPYFILE_FICLONE);
    }
  } catch (error) {
    await remove();
    throw error;
  }
  return { path: copy, isKept: keep, leave: keep ? () => Promise.resolve() : remove };
}

function listed(folder: string, prefix: string): string[] {
  try {
    return listFolder(folder, prefix);
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
    const { message, hint } = error;
    throw new CommandError({ exitCode: EXIT.bad, code: "workspace_unstageable", message, hint, cause: error });
  }
}
