import { execFile } from "node:child_process";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const DISK_SIZE = "24m";
const BLOCK_BYTES = 64 * 1024;
const BALLAST = ".ballast";

/** The disk of one host's workspace root. */
export interface Disk {
  readonly folder: string;
  /** Fills it to the last block. */
  fill(): Promise<void>;
  /** Takes the filling away. */
  empty(): Promise<void>;
  unmount(): Promise<void>;
}

/** Mounts a small disk in memory on a new folder. Undefined, and a word why, where the system refuses. */
export async function mountDisk(folder: string, say: (line: string) => void): Promise<Disk | undefined> {
  await mkdir(folder, { recursive: true });
  try {
    await run("mount", ["-t", "tmpfs", "-o", `size=${DISK_SIZE},nr_inodes=4096`, "tmpfs", folder]);
  } catch (error) {
    const why = error instanceof Error ? error.message.trim() : String(error);
    say(`NOT TRIED: full disks (fault G1): no small disk can be mounted here: ${why}`);
    return undefined;
  }
  const ballast = join(folder, BALLAST);
  return {
    folder,
    fill: () => fill(ballast),
    empty: () => rm(ballast, { force: true }),
    unmount: async () => void (await run("umount", ["--lazy", folder])),
  };
}

async function fill(ballast: string): Promise<void> {
  const file = await open(ballast, "w");
  try {
    const block = Buffer.alloc(BLOCK_BYTES);
    // It ends: the disk is small.
    for (let size = BLOCK_BYTES; size >= 512; size /= 2) {
      try {
        for (;;) await file.appendFile(block.subarray(0, size));
      } catch {
        // Full for this size.
      }
    }
  } finally {
    await file.close();
  }
}
