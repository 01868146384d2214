import type { FenceCommit } from "@perago/fence";
import type { Commit, LakefsClient } from "@perago/lakefs-sync";

/** What all staging branches are named with (rule T1). */
export const STAGING_NAMES = "perago-stg-";

/** lakeFS as a sweep needs it; what it refuses is a `LakefsError`. */
export interface BranchStore {
  /** lakeFS' own clock, milliseconds since 1970. */
  nowMs(): Promise<number>;
  /** Branches whose name begins so, page by page, hidden ones too (case G05). */
  pages(repository: string, namePrefix: string): AsyncIterable<readonly NamedBranch[]>;
  readCommit(repository: string, commitId: string): Promise<FenceCommit>;
  /** First parents, newest first, the commit itself included; at most `maxCommits`. */
  firstParents(repository: string, commitId: string, maxCommits: number): Promise<readonly FenceCommit[]>;
  isHidden(repository: string, name: string): Promise<boolean>;
  /** The first page of what is on the branch and not committed. */
  uncommitted(repository: string, name: string): Promise<{ readonly paths: readonly string[]; readonly more: boolean }>;
  /** A branch that is gone already is success (rule X1). */
  remove(repository: string, name: string): Promise<void>;
}

/** A branch and the commit that it points to. */
export interface NamedBranch {
  readonly name: string;
  readonly commitId: string;
}

/** A full page of lakeFS: there may be more. */
const PAGE_ENTRY_COUNT = 1000;

/** lakeFS behind the port. The signal ends the call that is under way. */
export function createBranchStore(client: LakefsClient, signal?: AbortSignal): BranchStore {
  const options = signal === undefined ? {} : { signal };
  return {
    nowMs: () => client.readServerTime(options),
    async *pages(repository, namePrefix) {
      const filter = { prefix: namePrefix, showHidden: true };
      for await (const page of client.walkBranches(repository, filter, options)) {
        yield page.map(({ id, commit_id }) => ({ name: id, commitId: commit_id }));
      }
    },
    readCommit: async (repository, commitId) => fenceCommit(await client.getCommit(repository, commitId, options)),
    async firstParents(repository, commitId, maxCommits) {
      const commits: FenceCommit[] = [];
      const filter = { firstParent: true, maxCommitCount: maxCommits };
      for await (const page of client.logCommits(repository, commitId, filter, options)) {
        commits.push(...page.map(fenceCommit));
      }
      return commits;
    },
    async isHidden(repository, name) {
      const shown = await client.listBranches(repository, { prefix: name }, options);
      return shown.every(({ id }) => id !== name);
    },
    async uncommitted(repository, name) {
      const first = await client.diffBranch(repository, name, options).next();
      const paths = first.done === true ? [] : first.value.map(({ path }) => path);
      return { paths, more: paths.length >= PAGE_ENTRY_COUNT };
    },
    remove: (repository, name) => client.deleteBranch(repository, name, options),
  };
}

function fenceCommit({ id, parents, metadata, message, committer, creation_date }: Commit): FenceCommit {
  return { id, parents, metadata, message, committer, creationDate: creation_date };
}
