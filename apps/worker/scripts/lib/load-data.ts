import { randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

import { DATA_FOLDER } from "./data-folder.ts";
import type { Lakefs } from "./lakefs.ts";

/** Where the data goes. */
export interface LoadTarget {
  readonly repository: string;
  readonly branch: string;
  /** Where lakeFS keeps a new repository's objects, e.g. `local://songs`. */
  readonly storageNamespace: string;
}

/**
 * Makes the repository where it is missing, brings everything below `data/` onto the branch with one merge, protects
 * the branch, and returns its head. Data arrives by merge only, as it must on a protected branch; where nothing is new,
 * no commit is made.
 */
export async function loadData(lakefs: Lakefs, target: LoadTarget): Promise<{ head: string; isNew: boolean }> {
  const { repository, branch } = target;
  const isNew = await lakefs.createRepository(repository, target.storageNamespace, branch);
  const loading = `load-${randomUUID()}`;
  await lakefs.createBranch(repository, loading, branch);
  try {
    for (const path of await listData()) {
      await lakefs.uploadObject(repository, loading, path, await readFile(new URL(path, DATA_FOLDER)));
    }
    if (await lakefs.hasChanges(repository, loading)) {
      const commit = await lakefs.commit(repository, loading, "Load songs and catalog");
      await lakefs.merge(repository, commit, branch, "Load songs and catalog");
    }
  } finally {
    await lakefs.deleteBranch(repository, loading);
  }
  await lakefs.protectBranch(repository, branch);
  return { head: await lakefs.getBranch(repository, branch), isNew };
}

/** Every file below `data/`, as keys, sorted. */
export async function listData(): Promise<string[]> {
  const folder = fileURLToPath(DATA_FOLDER);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .toSorted();
}
