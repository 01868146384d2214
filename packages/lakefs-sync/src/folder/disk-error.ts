import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { SyncError } from "../errors.ts";

const mebibyte = 1024 * 1024;

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** Free and whole size of the disk below a folder, in words; "" where the disk does not say. */
function diskState(folder: string): string {
  for (const place of [folder, dirname(folder)]) {
    try {
      const disk = statfsSync(place);
      const freeMebibytes = Math.floor((disk.bavail * disk.bsize) / mebibyte);
      const wholeMebibytes = Math.floor((disk.blocks * disk.bsize) / mebibyte);
      return `, ${freeMebibytes} MiB free of ${wholeMebibytes} MiB, ${disk.ffree} inodes free`;
    } catch {
      continue;
    }
  }
  return "";
}

/**
 * Turns a file system error into a typed one that says which disk and how much (case T08); names the relative path
 * only. Errors that are no file system errors are returned as they are.
 */
export function diskError(error: unknown, folder: string, relativePath: string): unknown {
  const code = codeOf(error);
  const subject = relativePath === "" ? "the workspace folder" : JSON.stringify(relativePath);
  const names = relativePath === "" ? [] : [relativePath];
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return new SyncError(
        "disk_full",
        `no space left on the workspace disk at ${subject} (${code}${diskState(folder)})`,
        names,
      );
    case "EMFILE":
    case "ENFILE":
      return new SyncError("disk_limit", `too many open files at ${subject} (${code})`, names);
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new SyncError("disk_denied", `the workspace disk refuses ${subject} (${code})`, names);
    case "":
      return error;
    default:
      return code.startsWith("E") && !code.startsWith("ERR_")
        ? new SyncError("disk_error", `the workspace disk failed at ${subject} (${code})`, names)
        : error;
  }
}
