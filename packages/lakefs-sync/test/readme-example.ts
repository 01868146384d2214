import { LakefsClient, LakefsError, SyncWorker, type LakefsConnection } from "../src/index.ts";

export async function publish(connection: LakefsConnection, commitId: string, folder: string): Promise<string> {
  const client = new LakefsClient(connection);
  const sync = new SyncWorker({ connection });
  const repository = "songs";
  try {
    // The folder is there complete and verified, or not at all.
    const { workspaceId } = await sync.syncIn({ repository, commitId, prefix: "audio", folder });
    // ... change files in the folder ...
    const { digest, noop } = await sync.project({ workspaceId });
    if (noop) return commitId;
    const branch = "staging-1";
    await client.createBranch(repository, { name: branch, sourceCommitId: commitId, hidden: true });
    await sync.stage({ workspaceId, digest, branch, baseCommitId: commitId });
    const staged = await client.commitOnce(repository, branch, { message: "staged", baseCommitId: commitId });
    await sync.verifyStaging({ workspaceId, stagingCommitId: staged.id });
    const merge = {
      sourceRef: staged.id,
      destinationBranch: "main",
      message: "publish",
      metadata: {},
      squashMerge: true,
    };
    return (await client.mergeIntoBranch(repository, merge, { timeoutMs: 45_000 })).reference;
  } catch (error) {
    if (error instanceof LakefsError && error.outcome === "unknown")
      console.error("read the target before anything else");
    throw error;
  } finally {
    await sync.close();
    await client.close();
  }
}
