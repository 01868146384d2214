import type { FenceCommit } from "@perago/fence";
import { LakefsError, type Commit, type LakefsClient } from "@perago/lakefs-sync";
import type {
  CommitRange,
  HardFenceReading,
  MergeOutcome,
  MergeRequest,
  TargetStore,
} from "../attempt/ports/target-store.ts";
import { AttemptError } from "../failure.ts";
import { createHardFenceReader, type HardFenceAt } from "./hard-fence.ts";
import { asAttempt, attemptError } from "./lakefs-failure.ts";
import { mergeOutcome } from "./merge-outcome.ts";

/** lakeFS behind the `TargetStore` port. One instance serves all slots of a host. */
export function createTargetStore(client: LakefsClient, random: () => number = Math.random): TargetStore {
  const readHardFence = createHardFenceReader(client);
  return {
    resolveCommit: (repository, ref) => resolveCommit(client, repository, ref),
    readRange: (request) => readRange({ client, readHardFence }, request),
    readHardFence,
    readCommit: async (repository, commitId) => fenceCommit(await asAttempt(client.getCommit(repository, commitId))),
    listBranches: async (repository, namePrefix) => {
      // Staging branches are hidden (rules T1, R2; case G05).
      const found = await asAttempt(client.listBranches(repository, { prefix: namePrefix, showHidden: true }));
      return found.map(({ id }) => id);
    },
    createStagingBranch: (repository, name, sourceCommitId) =>
      asAttempt(client.createBranch(repository, { name, sourceCommitId, hidden: true })),
    commitStaging: (request) => commitStaging(client, request),
    merge: (request) => merge(client, request, random),
    deleteStagingBranch: (repository, branch) => asAttempt(client.deleteBranch(repository, branch)),
  };
}

/** Rule I4: lakeFS takes branch names here too, so the answer must begin with what was asked for. */
async function resolveCommit(client: LakefsClient, repository: string, ref: string): Promise<string> {
  try {
    const { id } = await client.getCommit(repository, ref);
    if (id.startsWith(ref)) return id;
  } catch (error) {
    const lost = error instanceof LakefsError && ["not_found", "bad_ref", "bad_request"].includes(error.code);
    if (!lost) throw attemptError(error);
    // The repository itself is asked for, so that the reason names what is really missing.
    await asAttempt(client.getRepository(repository), { not_found: "input_invalid", bad_request: "input_invalid" });
  }
  const message = `workspace.ref ${ref} is no commit of repository ${repository}`;
  throw new AttemptError({ code: "ref_invalid", message, hint: "pass the full id of an existing commit" });
}

interface RangeReaders {
  readonly client: LakefsClient;
  readonly readHardFence: (at: HardFenceAt) => Promise<HardFenceReading>;
}

/** Rule P6: log and hard fence are read, beside each other, by the id of the head that is decided on. */
async function readRange(
  { client, readHardFence }: RangeReaders,
  { repository, branch, stopAt, maxCommits, withHardFence }: Parameters<TargetStore["readRange"]>[0],
): Promise<CommitRange> {
  const { commit_id: head } = await asAttempt(client.findBranch(repository, branch), { not_found: "publish_fence" });
  const reading = withHardFence ? readHardFence({ repository, branch, commitId: head }) : undefined;
  const log = readLog(client, { repository, head, stopAt, maxCommits });
  const [commits, hardFence] = await Promise.all([log, reading]);
  return { head, commits, ...(hardFence === undefined ? {} : { hardFence }) };
}

async function readLog(
  client: LakefsClient,
  { repository, head, stopAt, maxCommits }: { repository: string; head: string; stopAt: string; maxCommits: number },
): Promise<FenceCommit[]> {
  const commits: FenceCommit[] = [];
  const filter = { firstParent: true, stopAt, maxCommitCount: maxCommits };
  try {
    for await (const page of client.logCommits(repository, head, filter)) commits.push(...page.map(fenceCommit));
  } catch (error) {
    throw attemptError(error);
  }
  return commits;
}

/** Sent once; a lost answer is settled by reading the branch, which nobody else writes to (fault B8). */
async function commitStaging(
  client: LakefsClient,
  { repository, branch, base, message, metadata }: Parameters<TargetStore["commitStaging"]>[0],
): Promise<string> {
  const creation = { message, metadata, allowEmpty: true, baseCommitId: base };
  return (await asAttempt(client.commitOnce(repository, branch, creation))).id;
}

/** Rule C1: a squash merge, said explicitly, of the commit id; C3: also when the tree stays the same. */
async function merge(client: LakefsClient, request: MergeRequest, random: () => number): Promise<MergeOutcome> {
  const { repository, stagingCommit, branch, message, metadata, timeoutMs } = request;
  const merged = { sourceRef: stagingCommit, destinationBranch: branch, message, metadata };
  try {
    const answer = await client.mergeIntoBranch(
      repository,
      { ...merged, squashMerge: true, allowEmpty: true },
      { timeoutMs },
    );
    return { kind: "merged", commitId: answer.reference };
  } catch (error) {
    return mergeOutcome(error, random());
  }
}

function fenceCommit({ id, parents, metadata, message, committer, creation_date }: Commit): FenceCommit {
  return { id, parents, metadata, message, committer, creationDate: creation_date };
}
