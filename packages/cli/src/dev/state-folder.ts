import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { HostLockError, takeHostLock } from "@perago/worker";
import { CommandError } from "../command-error.ts";
import { EXIT } from "../exit-codes.ts";
import type { RunningEmulator } from "./emulator.ts";

/** Name of the folder of state, in the working folder. */
export const STATE_FOLDER = ".perago";
const ENV_FILE = "dev.env";

/** Where one `perago dev` keeps everything. */
export interface StateFolder {
  readonly root: string;
  readonly emulator: string;
  readonly workspaces: string;
  readonly logs: string;
  readonly cache: string;
  /** Writes the settings of the servers for other commands (`--dotenv`); answers the file's path. */
  writeSettings(emulator: Pick<RunningEmulator, "lakefs" | "conductor">): Promise<string>;
  /** Frees the folder, and removes an ephemeral one. */
  leave(): Promise<void>;
}

/**
 * Opens `.perago` in the working folder, or a temporary folder. A second `perago dev` in it is refused (exit code 2).
 */
export async function openState(folder: string, isEphemeral: boolean): Promise<StateFolder> {
  const root = isEphemeral
    ? await realpath(await mkdtemp(path.join(tmpdir(), "perago-dev-")))
    : path.join(folder, STATE_FOLDER);
  const lock = lockRoot(root);
  const ignore = path.join(root, ".gitignore");
  if (!existsSync(ignore)) await writeFile(ignore, "*\n");
  await mkdir(path.join(root, "emulator"), { recursive: true });
  const envFile = path.join(root, ENV_FILE);
  return {
    root,
    emulator: path.join(root, "emulator"),
    workspaces: path.join(root, "workspaces"),
    logs: path.join(root, "logs"),
    cache: path.join(root, "cache"),
    async writeSettings({ lakefs, conductor }) {
      const lines = [
        `CONDUCTOR_SERVER_URL=${conductor.url}`,
        `LAKECTL_SERVER_ENDPOINT_URL=${lakefs.url}`,
        `LAKECTL_CREDENTIALS_ACCESS_KEY_ID=${lakefs.accessKeyId}`,
        `LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY=${lakefs.secretAccessKey}`,
      ];
      await writeFile(`${envFile}.new`, `${lines.join("\n")}\n`, { mode: 0o600 });
      await rename(`${envFile}.new`, envFile);
      return envFile;
    },
    async leave() {
      // Nobody answers at these addresses any more.
      await rm(envFile, { force: true });
      lock.release();
      if (isEphemeral) await rm(root, { recursive: true, force: true });
    },
  };
}

function lockRoot(root: string): { release(): void } {
  try {
    return takeHostLock(root, { pid: process.pid, startedAtMs: Date.now(), workerIdPrefix: "dev" });
  } catch (error) {
    if (!(error instanceof HostLockError)) throw error;
    const isHeld = error.code === "host_lock_held";
    throw new CommandError({
      exitCode: EXIT.usage,
      code: isHeld ? "dev_running" : "state_folder",
      message: isHeld ? `another perago dev works in this folder` : `${STATE_FOLDER} cannot be used: ${error.message}`,
      hint: isHeld ? "Stop it, or add --ephemeral." : "Work in a folder on a local disk, or add --ephemeral.",
      cause: error,
    });
  }
}
