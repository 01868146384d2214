import { LakefsClient, type Commit, type LakefsConnection } from "@perago/lakefs-sync";

const MAX_COMMITS = 100;

/** The target branch of the demo, seen as people see it. */
export interface Target {
  readonly repository: string;
  readonly branch: string;
  head(): Promise<string>;
  /** First parents, newest first. */
  log(): Promise<readonly Commit[]>;
  /**
   * Prepares somebody else's change on a branch of theirs; `merge` brings it onto the target and answers the commit.
   */
  prepareForeign(path: string, text: string, message: string): Promise<{ merge(): Promise<string> }>;
  close(): Promise<void>;
}

/** Opens the target. */
export function openTarget(connection: LakefsConnection, repository: string, branch: string): Target {
  const client = new LakefsClient(connection);
  const head = async (): Promise<string> => (await client.getBranch(repository, branch)).commit_id;
  return {
    repository,
    branch,
    head,
    async log() {
      const commits: Commit[] = [];
      const filter = { firstParent: true, maxCommitCount: MAX_COMMITS };
      for await (const page of client.logCommits(repository, await head(), filter)) commits.push(...page);
      return commits;
    },
    async prepareForeign(path, text, message) {
      const theirs = "somebody-else";
      await client.createBranch(repository, { name: theirs, sourceCommitId: await head() });
      const bytes = Buffer.from(text);
      await client.uploadObject({
        repository,
        branch: theirs,
        path,
        source: { sizeBytes: bytes.length, open: () => bytes },
        attributes: { contentType: "text/plain", metadata: {} },
      });
      const { id } = await client.commit(repository, theirs, { message });
      return {
        async merge() {
          const merge = { sourceRef: id, destinationBranch: branch, message, metadata: {}, squashMerge: true };
          const { reference } = await client.mergeIntoBranch(repository, merge);
          await client.deleteBranch(repository, theirs);
          return reference;
        },
      };
    },
    close: () => client.close(),
  };
}
