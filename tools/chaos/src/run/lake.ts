import { createHash, randomBytes } from "node:crypto";
import { hardFenceAction } from "@perago/fence/hard-fence";
import { LakefsClient, type Commit, type LakefsConnection } from "@perago/lakefs-sync";
import { createBranchStore, openSweepMemory, sweepBranches, systemClock } from "@perago/worker";
import type { History, Target, TargetCommit } from "../audit/history.ts";

const MAX_LOG_COMMITS = 5000;
const PREFIX = "work/";
const ATTRIBUTES = { contentType: "application/octet-stream", metadata: {} };

/** lakeFS, as people and the controller use it: never through a proxy. */
export interface Lake {
  /** A repository with the files that every target starts from. */
  createRepository(label: string): Promise<{ readonly name: string; readonly start: string }>;
  /** A branch from a commit, with the hard fence where that is to hold; answers the commit that it starts with. */
  createTarget(target: NewTarget): Promise<string>;
  head(repository: string, branch: string): Promise<string>;
  /** As somebody else brings data in: a branch of their own and a merge. The branch stays. */
  commitForeign(repository: string, branch: string, where: "inside" | "outside"): Promise<ForeignCommit>;
  branches(repository: string): Promise<readonly string[]>;
  /** The first parents of a target with the trees that they show, oldest first. */
  readTarget(target: { readonly repository: string; readonly branch: string; readonly start: string }): Promise<Target>;
  /** Removes abandoned staging branches that are older than the TTL (rule X3); `root` keeps its memory. */
  sweep(repository: string, ttlMs: number, root: string): Promise<void>;
  close(): Promise<void>;
}

/** A target to be made. */
export interface NewTarget {
  readonly repository: string;
  readonly branch: string;
  readonly start: string;
  readonly fence: History["fence"];
}

/** What somebody else has merged, and the branch that it came from. */
export interface ForeignCommit {
  readonly commit: string;
  readonly branch: string;
}

/** lakeFS at its own address. */
export function openLake(connection: LakefsConnection): Lake {
  const client = new LakefsClient(connection);
  const put = async (repository: string, branch: string, path: string, text: string): Promise<void> => {
    const bytes = Buffer.from(text);
    const source = { sizeBytes: bytes.length, open: () => bytes };
    await client.uploadObject({ repository, branch, path, source, attributes: ATTRIBUTES });
  };
  const head = async (repository: string, branch: string): Promise<string> =>
    (await client.getBranch(repository, branch)).commit_id;
  return {
    async createRepository(label) {
      const name = `chaos-${label}-${randomBytes(4).toString("hex")}`;
      const { blockstoreType } = await client.getConfig();
      await client.createRepository({ name, storageNamespace: `${blockstoreType}://${name}` });
      for (const path of ["work/a.txt", "work/b.txt", "work/deep/c.txt", "other/notes.txt", "working/near.txt"])
        await put(name, "main", path, `the first ${path}\n`);
      const { id: start } = await client.commit(name, "main", { message: "where every target starts" });
      return { name, start };
    },
    async createTarget({ repository, branch, start, fence }) {
      await client.createBranch(repository, { name: branch, sourceCommitId: start });
      if (fence === "soft") return start;
      const { path, text } = hardFenceAction({ branch });
      await put(repository, branch, path, text);
      return (await client.commit(repository, branch, { message: "the hard fence" })).id;
    },
    head,
    async commitForeign(repository, target, where) {
      const branch = `somebody-${randomBytes(5).toString("hex")}`;
      await client.createBranch(repository, { name: branch, sourceCommitId: await head(repository, target) });
      await put(repository, branch, where === "inside" ? "work/foreign.txt" : "other/foreign.txt", `${branch}\n`);
      const { id: sourceRef } = await client.commit(repository, branch, { message: "somebody's data" });
      const merge = { sourceRef, destinationBranch: target, message: "by hand", metadata: {}, squashMerge: true };
      const { reference } = await client.mergeIntoBranch(repository, merge);
      return { commit: reference, branch };
    },
    branches: async (repository) => (await client.listBranches(repository, { showHidden: true })).map(({ id }) => id),
    readTarget: (target) => readTarget(client, target),
    async sweep(repository, ttlMs, root) {
      const store = createBranchStore(client);
      const memory = openSweepMemory(root, connection.endpoint);
      const own = { isHeld: () => false, clock: systemClock, onBranch: () => undefined };
      await sweepBranches({ store, repository, ttlMs, memory, ...own });
    },
    close: () => client.close(),
  };
}

async function readTarget(
  client: LakefsClient,
  { repository, branch, start }: { readonly repository: string; readonly branch: string; readonly start: string },
): Promise<Target> {
  const { commit_id: head } = await client.getBranch(repository, branch);
  const found: Commit[] = [];
  const filter = { firstParent: true, stopAt: start, maxCommitCount: MAX_LOG_COMMITS };
  for await (const page of client.logCommits(repository, head, filter)) found.push(...page);
  const commits: TargetCommit[] = [];
  for (const { id, parents, metadata, creation_date } of found.toReversed()) {
    const tree = await readTree(client, repository, id);
    commits.push({ id, parents, metadata, createdAtSeconds: creation_date, ...tree });
  }
  return { repository, branch, commits };
}

/** lakeFS' checksums of small objects are MD5 digests of their bytes. */
async function readTree(
  client: LakefsClient,
  repository: string,
  commitId: string,
): Promise<Pick<TargetCommit, "inside" | "outside">> {
  const inside: Record<string, string> = {};
  const outside = createHash("sha256");
  for await (const page of client.listObjects(repository, commitId, "")) {
    for (const { path, checksum } of page) {
      if (path.startsWith(PREFIX)) inside[path.slice(PREFIX.length)] = checksum;
      else outside.update(`${JSON.stringify([path, checksum])}\n`);
    }
  }
  return { inside, outside: outside.digest("hex") };
}
