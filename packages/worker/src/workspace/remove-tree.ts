import { chmod, readdir, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { MARKER_NAME } from "./marker.ts";

/** Deepest folder that is opened up for removal; keys of 1,024 bytes cannot be deeper. */
const MAX_DEPTH = 1_024;

/**
 * Removes a folder and all below it, following no link. Folders that a body has locked (mode 0) are opened first.
 * Gone already is success.
 */
export async function removeTree(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch (error) {
    if (!isDenied(error)) throw error;
    await openUp(folder, 0);
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Removes one attempt's folder, its marker last, so that what is left of a removal that was cut is still known as ours
 * (rule X3). The worker's folder above goes too when it is empty.
 */
export async function removeAttemptFolder(attemptFolder: string): Promise<void> {
  for (const name of await namesIn(attemptFolder)) {
    if (name !== MARKER_NAME) await removeTree(join(attemptFolder, name));
  }
  await removeTree(attemptFolder);
  await removeIfEmpty(dirname(attemptFolder));
}

/** Removes a folder that is empty; one that is not, or is gone, stays as it is. */
export async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch(() => {});
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

async function openUp(folder: string, depth: number): Promise<void> {
  if (depth > MAX_DEPTH) return;
  await chmod(folder, 0o700).catch(() => {});
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    // Not for links: their mode is their target's.
    if (entry.isDirectory()) await openUp(join(folder, entry.name), depth + 1);
  }
}

function isDenied(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "EACCES" || error.code === "EPERM");
}
