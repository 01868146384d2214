import { LakefsError } from "./errors.ts";
import type { HttpClient } from "./http.ts";
import { collectPages, maxPageEntryCount, walkPages } from "./pages.ts";
import { diffOf, pageOf, refOf } from "./shapes.ts";
import type { CallOptions, Diff, Page, Ref } from "./types.ts";

const maxBranchCount = 100_000;

/** lakeFS `getBranch`: the branch with the commit it points to now. */
export function getBranch(
  http: HttpClient,
  repository: string,
  branch: string,
  options: CallOptions = {},
): Promise<Ref> {
  const segments = ["repositories", repository, "branches", branch];
  return http.json({ operation: "getBranch", method: "GET", segments, repeat: "safe" }, options, refOf);
}

/**
 * The branch with the commit it points to now, hidden or not, by lakeFS `listBranches` of its name alone. A server
 * holds
 * `getBranch` back for 3 ms, to answer several at once (its `graveler.max_batch_delay`); it does not hold listings
 * back,
 * and reads them from the same store. What the listing does not show, `getBranch` finds or explains.
 */
export async function findBranch(
  http: HttpClient,
  repository: string,
  branch: string,
  options: CallOptions = {},
): Promise<Ref> {
  const query = { prefix: branch, amount: 1, show_hidden: true };
  const segments = ["repositories", repository, "branches"];
  const spec = { operation: "listBranches", method: "GET", segments, query, repeat: "safe" } as const;
  // The name itself is the first of all that begin with it.
  const { results } = await http.json(spec, options, (value) => pageOf(value, refOf));
  const [first] = results;
  return first?.id === branch ? first : await getBranch(http, repository, branch, options);
}

/** Which branches a listing shows. */
export interface BranchFilter {
  /** Start of the names; "" means all. */
  readonly prefix?: string;
  /** Also hidden ones (`show_hidden`, case G05). Default false, as in lakeFS. */
  readonly showHidden?: boolean;
}

/** lakeFS `listBranches`, page by page: branches by a prefix of their names, in the order of the names. */
export function walkBranches(
  http: HttpClient,
  repository: string,
  filter: BranchFilter = {},
  options: CallOptions = {},
): AsyncGenerator<readonly Ref[]> {
  return walkPages("listBranches", repository, (after): Promise<Page<Ref>> => {
    const query = { prefix: filter.prefix, after, amount: maxPageEntryCount, show_hidden: filter.showHidden ?? false };
    const segments = ["repositories", repository, "branches"];
    const spec = { operation: "listBranches", method: "GET", segments, query, repeat: "safe" } as const;
    return http.json(spec, options, (value) => pageOf(value, refOf));
  });
}

/** lakeFS `listBranches`, all pages at once: at most 100,000 branches. */
export function listBranches(
  http: HttpClient,
  repository: string,
  filter: BranchFilter = {},
  options: CallOptions = {},
): Promise<Ref[]> {
  const limit = { operation: "listBranches", subject: repository, maxEntryCount: maxBranchCount };
  return collectPages(walkBranches(http, repository, filter, options), limit);
}

/** A branch to be made. */
export interface BranchCreation {
  readonly name: string;
  /** A commit id: a branch name would move between tries. */
  readonly sourceCommitId: string;
  /** Not shown in plain listings (rule T1). Default false. */
  readonly hidden?: boolean;
}

const createTryCount = 3;

/**
 * lakeFS `createBranch`. Where the answer got lost the branch is read back, and accepted only if it points to the
 * wanted commit with no uncommitted change (fault B9). A name taken before the first request is `already_exists`.
 */
export async function createBranch(
  http: HttpClient,
  repository: string,
  creation: BranchCreation,
  options: CallOptions = {},
): Promise<void> {
  const json = { name: creation.name, source: creation.sourceCommitId, force: false, hidden: creation.hidden ?? false };
  const segments = ["repositories", repository, "branches"];
  const subject = `${repository}/${creation.name}`;
  const spec = { operation: "createBranch", method: "POST", segments, json, subject, repeat: "never" } as const;
  let answerLost = false;
  for (let tryNumber = 1; ; tryNumber += 1) {
    try {
      await http.text(spec, options);
      return;
    } catch (error) {
      if (!(error instanceof LakefsError) || options.signal?.aborted) throw error;
      const taken = error.code === "already_exists" && answerLost;
      if (!taken && error.outcome === "refused" && error.code !== "busy") throw error;
      answerLost ||= error.outcome === "unknown";
      if (answerLost && (await isFreshBranch(http, repository, creation, options))) return;
      if (taken || tryNumber >= createTryCount) throw error;
      await http.pauseBeforeTry(tryNumber, error, options);
    }
  }
}

async function isFreshBranch(
  http: HttpClient,
  repository: string,
  creation: BranchCreation,
  options: CallOptions,
): Promise<boolean> {
  try {
    const found = await getBranch(http, repository, creation.name, options);
    if (found.commit_id !== creation.sourceCommitId) return false;
    const first = await diffBranch(http, repository, creation.name, options).next();
    return first.done === true || first.value.length === 0;
  } catch (error) {
    if (error instanceof LakefsError && error.code === "not_found") return false;
    throw error;
  }
}

/** lakeFS `deleteBranch`; a branch that is not there counts as deleted (rule X1). */
export async function deleteBranch(
  http: HttpClient,
  repository: string,
  branch: string,
  options: CallOptions = {},
): Promise<void> {
  const segments = ["repositories", repository, "branches", branch];
  try {
    await http.text({ operation: "deleteBranch", method: "DELETE", segments, repeat: "safe" }, options);
  } catch (error) {
    if (!(error instanceof LakefsError && error.code === "not_found")) throw error;
  }
}

/** lakeFS `diffBranch`: the uncommitted changes of a branch, page by page. */
export function diffBranch(
  http: HttpClient,
  repository: string,
  branch: string,
  options: CallOptions = {},
): AsyncGenerator<readonly Diff[]> {
  const segments = ["repositories", repository, "branches", branch, "diff"];
  return walkPages("diffBranch", `${repository}/${branch}`, (after) => {
    const query = { after, amount: maxPageEntryCount };
    const spec = { operation: "diffBranch", method: "GET", segments, query, repeat: "safe" } as const;
    return http.json(spec, options, (value) => pageOf(value, diffOf));
  });
}
