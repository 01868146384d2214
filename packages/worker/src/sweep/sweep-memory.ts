import { readFileSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";

/** The file of a workspace root in which its host, and `perago sweep`, keep what they remember of branches. */
export const MEMORY_NAME = ".perago-branches.json";

const seenSchema = z.object({ head: z.string(), sinceMs: z.number().min(0) });
const repositoriesSchema = z.record(z.string(), z.record(z.string(), seenSchema));
const fileSchema = z.object({ kind: z.literal("perago.branches"), servers: z.record(z.string(), repositoriesSchema) });
type Remembered = z.infer<typeof repositoriesSchema>;

/**
 * What sweeps remember from one to the next: repositories, and since when a branch without a commit of its own has been
 * there. What is forgotten makes a branch younger, never older.
 */
export interface SweepMemory {
  /** Repositories in which this host has made staging branches. */
  repositories(): readonly string[];
  remember(repository: string): Promise<void>;
  forget(repository: string): Promise<void>;
  /** Since when the branch has been met with this head; now, where it has not. */
  seenSinceMs(met: {
    readonly repository: string;
    readonly branch: string;
    readonly head: string;
    readonly nowMs: number;
  }): number;
  /** Writes all down; of the repository's branches only those that are there, where they are all known. */
  write(repository: string, there: ReadonlySet<string> | undefined): Promise<void>;
}

/**
 * The memory in a workspace root, for one lakeFS. A file that is missing or cannot be understood is an empty memory. Of
 * two that write at once the last one counts: the other's branches are met anew.
 */
export function openSweepMemory(root: string, server: string): SweepMemory {
  const path = join(root, MEMORY_NAME);
  const known: Map<string, Map<string, { head: string; sinceMs: number }>> = new Map(
    Object.entries(readAll(path)[server] ?? {}).map(([name, seen]) => [name, new Map(Object.entries(seen))]),
  );
  const branchesOf = (repository: string): Map<string, { head: string; sinceMs: number }> => {
    const branches = known.get(repository) ?? new Map();
    known.set(repository, branches);
    return branches;
  };
  let writing: Promise<void> = Promise.resolve();
  const save = (): Promise<void> => {
    const write = async (): Promise<void> => {
      const own = Object.fromEntries([...known].map(([name, seen]) => [name, Object.fromEntries(seen)]));
      await writeWhole(path, { ...readAll(path), [server]: own });
    };
    // One after the other, whatever became of the one before.
    writing = writing.then(write, write);
    return writing;
  };
  return {
    repositories: () => [...known.keys()],
    async remember(repository) {
      if (known.has(repository)) return;
      branchesOf(repository);
      await save();
    },
    async forget(repository) {
      if (known.delete(repository)) await save();
    },
    seenSinceMs({ repository, branch, head, nowMs }) {
      const branches = branchesOf(repository);
      const seen = branches.get(branch);
      if (seen?.head === head) return seen.sinceMs;
      branches.set(branch, { head, sinceMs: nowMs });
      return nowMs;
    },
    async write(repository, there) {
      const seen = branchesOf(repository);
      for (const name of seen.keys()) if (there?.has(name) === false) seen.delete(name);
      await save();
    },
  };
}

function readAll(path: string): Record<string, Remembered> {
  try {
    const parsed = fileSchema.safeParse(JSON.parse(readFileSync(path, "utf8")));
    return parsed.success ? parsed.data.servers : {};
  } catch {
    return {};
  }
}

async function writeWhole(path: string, servers: Record<string, Remembered>): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const fresh = `${path}.new`;
  await writeFile(fresh, `${JSON.stringify({ kind: "perago.branches", servers })}\n`, { mode: 0o600 });
  await rename(fresh, path);
}
