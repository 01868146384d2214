import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { writeMarker, type AttemptMarker } from "./marker.ts";
import { removeAttemptFolder } from "./remove-tree.ts";

/** Name of the folder that the body sees, inside the attempt's folder. */
export const WORKSPACE_FOLDER_NAME = "workspace";

/** The attempt's own folder, `<root>/<workerId>/<executionId>`. */
export function attemptFolderPath(root: string, workerId: string, executionId: string): string {
  return join(root, workerId, executionId);
}

/** Who makes an attempt's folder. */
export interface SiteOwner {
  /** Prefix and 4-digit slot. */
  readonly workerId: string;
  readonly executionId: string;
  readonly taskId: string;
}

/** Where one execution's folder lies: its marker, and beside it the folder that the body sees. */
export interface LocalSite {
  /** The folder that the body sees; `prepare` does not make it (rule T2). */
  readonly folder: string;
  /**
   * Makes the attempt's folder with its marker. Throws where the folder exists: an execution id is never used twice.
   */
  prepare(): Promise<void>;
  /** Removes the attempt's folder; gone already is success (rule X1). */
  remove(): Promise<void>;
}

/** The site of one execution below a workspace root. */
export function createLocalSite(
  root: string,
  owner: SiteOwner,
  process: { readonly pid: number; readonly startedAtMs: number; readonly nowMs: () => number },
): LocalSite {
  const attemptFolder = attemptFolderPath(root, owner.workerId, owner.executionId);
  return {
    folder: join(attemptFolder, WORKSPACE_FOLDER_NAME),
    async prepare() {
      await mkdir(join(root, owner.workerId), { recursive: true, mode: 0o700 });
      // A folder that is cut here is empty, and empty old folders go with the next sweep.
      await mkdir(attemptFolder, { mode: 0o700 });
      const marker: AttemptMarker = {
        kind: "perago.attempt",
        version: 1,
        workerId: owner.workerId,
        executionId: owner.executionId,
        taskId: owner.taskId,
        pid: process.pid,
        processStartedAtMs: process.startedAtMs,
        createdAtMs: process.nowMs(),
      };
      await writeMarker(attemptFolder, marker);
    },
    remove: () => removeAttemptFolder(attemptFolder),
  };
}
