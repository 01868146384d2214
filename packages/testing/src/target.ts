import { collectBytes, LakefsError, type Commit, type LakefsClient } from "@perago/lakefs-sync";
import { bytesOf, checkPaths, toFileBytes, type FileBytes, type Files } from "./files.ts";

/** The repository of every bench, and the branch that it begins with. */
export const REPOSITORY = "test";
/** Made with the repository; attempts get branches of their own from it. */
export const FIRST_BRANCH = "main";

const MAX_COMMITS = 1_100;
const PARALLEL_READS = 8;
const LARGEST_READ_SIZE_BYTES = 1024 ** 3;

/** Uploads files to a branch, made from `main` where it is missing, and commits them; answers the commit id. */
export async function commitFiles(
  client: LakefsClient,
  branch: string,
  files: Files,
  message: string,
): Promise<string> {
  checkPaths(files);
  await ensureBranch(client, branch);
  for (const [path, content] of Object.entries(files)) {
    const bytes = bytesOf(content);
    const source = { sizeBytes: bytes.length, open: () => bytes };
    const attributes = { contentType: "application/octet-stream", metadata: {} };
    await client.uploadObject({ repository: REPOSITORY, branch, path, source, attributes });
  }
  return (await client.commit(REPOSITORY, branch, { message, allowEmpty: true })).id;
}

/** Makes a branch from `main` where it is missing; answers its head. */
export async function ensureBranch(client: LakefsClient, branch: string): Promise<string> {
  try {
    return await headOf(client, branch);
  } catch (error) {
    if (!(error instanceof LakefsError) || error.status !== 404) throw error;
    await client.createBranch(REPOSITORY, { name: branch, sourceCommitId: await headOf(client, FIRST_BRANCH) });
    return await headOf(client, branch);
  }
}

/** Head of a branch. */
export async function headOf(client: LakefsClient, branch: string): Promise<string> {
  return (await client.getBranch(REPOSITORY, branch)).commit_id;
}

/** First parents of a branch, newest first, down to a commit that is left out. */
export async function historySince(client: LakefsClient, branch: string, ref: string): Promise<readonly Commit[]> {
  const commits: Commit[] = [];
  const filter = { firstParent: true, maxCommitCount: MAX_COMMITS };
  const head = await headOf(client, branch);
  for await (const page of client.logCommits(REPOSITORY, head, filter)) {
    for (const commit of page) {
      if (commit.id === ref) return commits;
      commits.push(commit);
    }
  }
  return commits;
}

/** All objects of a ref below a key prefix, by their path below it. */
export async function readTree(client: LakefsClient, ref: string, prefix: string): Promise<FileBytes> {
  const keys: string[] = [];
  for await (const page of client.listObjects(REPOSITORY, ref, prefix)) keys.push(...page.map(({ path }) => path));
  const read: (readonly [string, Buffer])[] = [];
  const rest = keys.values();
  const readers = Array.from({ length: PARALLEL_READS }, async () => {
    for (const key of rest) read.push([key.slice(prefix.length), await readObject(client, ref, key)]);
  });
  await Promise.all(readers);
  return toFileBytes(read);
}

function readObject(client: LakefsClient, ref: string, path: string): Promise<Buffer> {
  return client.getObject({ repository: REPOSITORY, ref, path }, {}, collectBytes(LARGEST_READ_SIZE_BYTES));
}
