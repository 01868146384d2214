import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { EXPECTED_HEAD } from "@perago/fence";
import { HARD_FENCE, hardFenceAction, type HardFenceAction } from "@perago/fence/hard-fence";
import { LakefsError, type LakefsClient } from "@perago/lakefs-sync";
import { readHardFence } from "@perago/worker";

/** Has the form of a staging branch: what a killed install leaves behind is swept. */
const WORK_BRANCH_PREFIX = "perago-stg-0000000000000000-install-0-";

/** What is installed, and where. */
export interface HardFenceInstall {
  readonly repository: string;
  readonly branch: string;
  /** The head that it is installed upon; the merge is refused where it has moved. */
  readonly head: string;
  readonly exclusive: boolean;
}

/**
 * Puts the action on the target by a merge, so that it works on a protected branch (rule H1): from a hidden branch of
 * its own, which is removed again. lakeFS takes the actions of a merge from its source, so the new text decides about
 * its own merge: it says which head it expects, as the text asks, and an exclusive fence lets it pass, too. Answers the
 * new head. Throws `LakefsError`.
 */
export async function installHardFence(client: LakefsClient, install: HardFenceInstall): Promise<string> {
  const { repository, branch, head, exclusive } = install;
  const action = hardFenceAction({ branch, exclusive });
  const work = `${WORK_BRANCH_PREFIX}${randomBytes(6).toString("hex")}`;
  await client.createBranch(repository, { name: work, sourceCommitId: head, hidden: true });
  try {
    await putAction(client, repository, work, action);
    const message = `perago: hard fence version ${action.version}${exclusive ? ", exclusive" : ""} for ${branch}`;
    const commit = { message, metadata: {}, allowEmpty: false, baseCommitId: head };
    const { id } = await client.commitOnce(repository, work, commit);
    return await mergeAction(client, install, { sourceRef: id, message, version: action.version });
  } finally {
    await client.deleteBranch(repository, work).catch(() => undefined);
  }
}

async function putAction(
  client: LakefsClient,
  repository: string,
  branch: string,
  { path, text }: HardFenceAction,
): Promise<void> {
  const bytes = Buffer.from(text);
  const source = { sizeBytes: bytes.length, open: () => Readable.from([bytes]) };
  const attributes = { contentType: "application/yaml", metadata: {} };
  await client.uploadObject({ repository, branch, path, source, attributes });
}

async function mergeAction(
  client: LakefsClient,
  { repository, branch, head, exclusive }: HardFenceInstall,
  merge: { readonly sourceRef: string; readonly message: string; readonly version: number },
): Promise<string> {
  const { sourceRef, message, version } = merge;
  const metadata = { [HARD_FENCE]: String(version), [EXPECTED_HEAD]: head };
  try {
    const sent = { sourceRef, destinationBranch: branch, message, metadata, squashMerge: true };
    return (await client.mergeIntoBranch(repository, sent)).reference;
  } catch (error) {
    if (!(error instanceof LakefsError) || error.outcome === "refused") throw error;
    // The answer was lost: what stands on the target tells (rule C5).
    const { commit_id: now } = await client.getBranch(repository, branch);
    const state = await readHardFence(client, { repository, branch, commitId: now });
    if (state.kind === "in_force" && state.exclusive === exclusive) return now;
    throw error;
  }
}
