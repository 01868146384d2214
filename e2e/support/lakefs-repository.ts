import { randomBytes } from "node:crypto";
import { collectBytes, LakefsClient, LakefsError, type Commit, type LakefsConnection } from "@perago/lakefs-sync";
import { z } from "zod";
import { atEnd } from "./at-end.ts";
import { realServers } from "./settings.ts";
import { until } from "./until.ts";

/** Bytes or text by path or key. */
export type Tree = Readonly<Record<string, string | Buffer>>;

const commitShape = z.looseObject({ id: z.string() });
const PROTECTION_TIMEOUT_MS = 30_000;
const MAX_LOG_COMMITS = 2000;
const PARALLEL_READS = 8;
const LARGEST_READ_SIZE_BYTES = 1024 ** 3;

/** A repository of one test file on the real lakeFS, with `main` as its default branch. */
export interface Repository {
  readonly name: string;
  readonly client: LakefsClient;
  /** Uploads to a branch without committing. */
  put(tree: Tree, branch?: string): Promise<void>;
  /** Deletes keys on a branch without committing. */
  remove(keys: readonly string[], branch?: string): Promise<void>;
  /** Commits what lies uncommitted on a branch; returns the commit id. */
  commit(message: string, branch?: string): Promise<string>;
  /** `put` and `commit` in one; returns the commit id. */
  commitTree(tree: Tree, branch?: string): Promise<string>;
  /** As people bring data onto a protected branch: by a branch of their own and a merge. Returns the merge commit. */
  mergeTree(tree: Tree, target?: string): Promise<string>;
  /** Makes a commit's change again on a branch, as a person does; returns the new commit. */
  cherryPick(commitId: string, branch?: string): Promise<string>;
  /** Takes a commit's change back on a branch, as a person does. */
  revert(commitId: string, branch?: string): Promise<void>;
  createBranch(branch: string, sourceCommitId: string): Promise<void>;
  /** Makes a branch `<label>-<n>` of its own for a test; returns its name. */
  newBranch(label: string, sourceCommitId: string): Promise<string>;
  /**
   * Protects the branches of a pattern, and returns when the server refuses a commit to `probe` (default: the pattern
   * itself): rules bite some seconds late (case L12). A branch that is made later is protected from its start.
   */
  protect(pattern?: string, probe?: string): Promise<void>;
  /** Waits until a rule that somebody else has made bites. */
  untilProtected(branch?: string): Promise<void>;
  head(branch?: string): Promise<string>;
  /** All objects below a prefix with their bytes as latin1 text, by key: equal texts are equal bytes. */
  tree(ref: string, prefix?: string): Promise<Record<string, string>>;
  /** First parents from a ref on, newest first. */
  log(ref?: string): Promise<readonly Commit[]>;
  /** First parents from a ref down to a commit, that one left out, newest first. */
  logSince(stopCommitId: string, ref?: string): Promise<readonly Commit[]>;
  /** Names of all branches, hidden ones too. */
  branches(): Promise<readonly string[]>;
}

/** The connection of the real lakeFS, or through a proxy in front of it. */
export function lakefsConnection(endpoint?: string): LakefsConnection {
  const { lakefsUrl, accessKeyId, secretAccessKey } = realServers();
  return { endpoint: endpoint ?? lakefsUrl, accessKeyId, secretAccessKey };
}

/** Makes a repository with a random name; it is deleted after the test file. */
export async function createRepository(label = "e2e"): Promise<Repository> {
  const made = openRepository(`${label}-${randomBytes(6).toString("hex")}`);
  const { blockstoreType } = await made.client.getConfig();
  await made.client.createRepository({ name: made.name, storageNamespace: `${blockstoreType}://${made.name}` });
  return made;
}

/** A repository that somebody else makes; it is deleted after the test file, or after the test that opens it. */
export function openRepository(name: string): Repository {
  const client = new LakefsClient(lakefsConnection());
  atEnd(async () => {
    await client.deleteRepository(name);
    await client.close();
  });
  return repository(client, name);
}

function repository(client: LakefsClient, name: string): Repository {
  let branchCount = 0;
  const put = async (tree: Tree, branch = "main"): Promise<void> => {
    for (const [path, content] of Object.entries(tree)) {
      const bytes = Buffer.from(content);
      const attributes = { contentType: "application/octet-stream", metadata: {} };
      const source = { sizeBytes: bytes.length, open: () => bytes };
      await client.uploadObject({ repository: name, branch, path, source, attributes });
    }
  };
  const commit = async (message: string, branch = "main"): Promise<string> =>
    (await client.commit(name, branch, { message })).id;
  const head = async (branch = "main"): Promise<string> => (await client.getBranch(name, branch)).commit_id;
  const logSince = (stop: string | undefined, ref = "main") => readLog(client, name, ref, stop);
  return {
    name,
    client,
    put,
    remove: async (keys, branch = "main") => {
      for (const key of keys) await client.deleteObject(name, branch, key);
    },
    commit,
    commitTree: async (tree, branch = "main") => {
      await put(tree, branch);
      return commit("test data", branch);
    },
    mergeTree: async (tree, target = "main") => {
      const branch = `people-${randomBytes(6).toString("hex")}`;
      await client.createBranch(name, { name: branch, sourceCommitId: await head(target) });
      await put(tree, branch);
      const sourceRef = await commit("somebody's data", branch);
      const merge = { sourceRef, destinationBranch: target, message: "by hand", metadata: {}, squashMerge: true };
      const { reference } = await client.mergeIntoBranch(name, merge);
      await client.deleteBranch(name, branch);
      return reference;
    },
    cherryPick: (commitId, branch = "main") => cherryPick(name, branch, commitId),
    revert: async (ref, branch = "main") => {
      await byHand(`${name}/branches/${branch}/revert`, { ref, parent_number: 1 });
    },
    createBranch: (branch, sourceCommitId) => client.createBranch(name, { name: branch, sourceCommitId }),
    newBranch: async (label, sourceCommitId) => {
      branchCount += 1;
      const branch = `${label}-${branchCount}`;
      await client.createBranch(name, { name: branch, sourceCommitId });
      return branch;
    },
    protect: async (pattern = "main", probe = pattern) => {
      await client.setBranchProtectionRules(name, [{ pattern }]);
      await untilProtected(client, name, probe);
    },
    untilProtected: (branch = "main") => untilProtected(client, name, branch),
    head,
    tree: (ref, prefix = "") => readTree(client, name, ref, prefix),
    log: (ref) => logSince(undefined, ref),
    logSince,
    branches: async () => (await client.listBranches(name, { showHidden: true })).map(({ id }) => id),
  };
}

/** Not among our client's operations: Perago never does it. */
async function cherryPick(repositoryName: string, branch: string, ref: string): Promise<string> {
  const answer = await byHand(`${repositoryName}/branches/${branch}/cherry-pick`, { ref });
  return commitShape.parse(JSON.parse(answer)).id;
}

/** What people do in lakeFS and Perago never does: no operation of its client. */
async function byHand(path: string, body: Readonly<Record<string, unknown>>): Promise<string> {
  const { endpoint, accessKeyId, secretAccessKey } = lakefsConnection();
  const key = Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64");
  const api = `${endpoint.replace(/\/api\/v1$/, "")}/api/v1`;
  const headers = { authorization: `Basic ${key}`, "content-type": "application/json" };
  const request = { method: "POST", headers, body: JSON.stringify(body) };
  const answer = await fetch(`${api}/repositories/${path}`, request);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return text;
}

async function readTree(
  client: LakefsClient,
  repositoryName: string,
  ref: string,
  prefix: string,
): Promise<Record<string, string>> {
  const keys: string[] = [];
  for await (const page of client.listObjects(repositoryName, ref, prefix)) keys.push(...page.map(({ path }) => path));
  const read = new Map<string, string>();
  const rest = keys.values();
  const readers = Array.from({ length: PARALLEL_READS }, async () => {
    for (const path of rest) read.set(path, await readObject(client, { repository: repositoryName, ref, path }));
  });
  await Promise.all(readers);
  return Object.fromEntries(keys.map((key) => [key, read.get(key) ?? ""]));
}

async function readObject(
  client: LakefsClient,
  where: { repository: string; ref: string; path: string },
): Promise<string> {
  return (await client.getObject(where, {}, collectBytes(LARGEST_READ_SIZE_BYTES))).toString("latin1");
}

async function readLog(
  client: LakefsClient,
  repositoryName: string,
  ref: string,
  stopCommitId: string | undefined,
): Promise<readonly Commit[]> {
  const commits: Commit[] = [];
  const filter = { firstParent: true, maxCommitCount: MAX_LOG_COMMITS };
  for await (const page of client.logCommits(repositoryName, ref, filter)) {
    for (const commit of page) {
      if (commit.id === stopCommitId) return commits;
      commits.push(commit);
    }
  }
  if (stopCommitId !== undefined) throw new Error(`${stopCommitId} is no first parent of ${repositoryName}/${ref}`);
  return commits;
}

/** A commit of nothing is the probe: it changes nothing on either side of the moment when the rule begins. */
async function untilProtected(client: LakefsClient, repositoryName: string, branch: string): Promise<void> {
  const bites = async (): Promise<boolean> => {
    try {
      await client.commit(repositoryName, branch, { message: "probe of the protection" });
      throw new Error(`${repositoryName}/${branch} had something to commit`);
    } catch (error) {
      if (!(error instanceof LakefsError)) throw error;
      if (error.status === 403) return true;
      if (error.code === "no_changes") return false;
      throw error;
    }
  };
  const patience = { timeoutMs: PROTECTION_TIMEOUT_MS, everyMs: 250 };
  await until(`branch ${branch} of ${repositoryName} is protected`, bites, patience);
}
