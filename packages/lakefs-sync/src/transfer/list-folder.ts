import { normalisePrefix } from "../keys/prefix.ts";
import { isActionKey, keySizeBytes, maxKeySizeBytes } from "../keys/segment.ts";
import { walkFolder, type FolderDefect } from "../folder/walk.ts";
import { assertStageable } from "./project.ts";

/**
 * The files of a folder that no server has a part in, as relative paths in order. It refuses what staging a workspace
 * with this prefix would refuse by name or kind (rules T6, T7, T11): throws `SyncError` that names all of it. Bytes are
 * not read.
 */
export function listFolder(folder: string, prefix: string): string[] {
  const keyPrefix = normalisePrefix(prefix);
  const defects: FolderDefect[] = [];
  const tooLong: string[] = [];
  const paths: string[] = [];
  for (const path of walkFolder(folder, new Set(), (defect) => defects.push(defect))) {
    const key = keyPrefix + path;
    if (isActionKey(key)) defects.push({ path, what: "below _lakefs_actions/, which belongs to lakeFS' hooks" });
    else if (keySizeBytes(key) > maxKeySizeBytes) tooLong.push(key);
    else paths.push(path);
  }
  assertStageable(defects, tooLong);
  return paths.toSorted();
}
