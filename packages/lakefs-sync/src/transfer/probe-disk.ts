import { closeSync, existsSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { DiskTraits } from "../keys/disk-traits.ts";

const probeName = "perago-probe-\u00e9";

/** Looks once how the disk below an empty folder compares names (cases N06, N07). Leaves nothing behind. */
export function probeDisk(emptyFolder: string): DiskTraits {
  const path = join(emptyFolder, probeName);
  closeSync(openSync(path, "wx"));
  try {
    return {
      foldsCase: existsSync(join(emptyFolder, probeName.toUpperCase())),
      normalises: existsSync(join(emptyFolder, probeName.normalize("NFD"))),
    };
  } finally {
    rmSync(path, { force: true });
  }
}
