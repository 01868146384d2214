import { getBranch, moveBranch } from "../branches.ts";
import { addCommit } from "../commits.ts";
import { nowS, type Context } from "../context.ts";
import { badRequest, dirtyBranch, LakefsError, within } from "../errors.ts";
import { findMergeBase } from "../merge-base.ts";
import type { Commit } from "../model.ts";
import { checkBranchName, checkRef } from "../refs/names.ts";
import { resolveCommit } from "../refs/resolve.ts";
import { getWritable } from "../repositories.ts";
import { isDirty } from "../staging.ts";
import { mergeTrees, type MergeStrategy } from "../tree/merge.ts";
import { guarded, runAfter, runEvent, type HookEvent } from "./guarded.ts";
import type { CommitRequest } from "./request.ts";

/** A merge of a ref into a branch. */
export interface MergeRequest extends CommitRequest {
  readonly source: string;
  /** Empty: one that names source and destination. */
  readonly message: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** `dest-wins`, `source-wins` or empty. */
  readonly strategy: string;
  /** True: the destination's head is the only parent. */
  readonly squash: boolean;
}

/** The answer to a merge whose sides changed the same path. Its body is a merge result, not an error. */
export class MergeConflict extends LakefsError {
  constructor() {
    super(409, "conflict found");
  }
}

const strategyNames: ReadonlyMap<string, { readonly strategy: MergeStrategy; readonly shown: string }> = new Map([
  ["", { strategy: "none", shown: "default" }],
  ["dest-wins", { strategy: "dest-wins", shown: "dest-wins" }],
  ["source-wins", { strategy: "source-wins", shown: "source-wins" }],
]);

/**
 * Merges a ref into a branch; the id of the merge commit. The head is read, the hooks run and the branch moves as one.
 */
export function mergeIntoBranch(context: Context, request: MergeRequest): string {
  checkBranchName(request.branch, "destination");
  checkRef(request.source, "source");
  const chosen = strategyNames.get(request.strategy);
  if (chosen === undefined) throw badRequest("argument strategy: invalid value: validation error");
  return guarded(context, () => {
    const repository = getWritable(context, request.repository, request.force);
    const branch = getBranch(context, repository.name, request.branch);
    if (isDirty(context, repository.name, branch)) throw dirtyBranch();
    try {
      return mergeInside(context, request, { repository, ...chosen });
    } catch (error) {
      throw error instanceof MergeConflict ? error : within(`update branch ${request.branch}`, error);
    }
  });
}

interface Chosen {
  readonly repository: ReturnType<typeof getWritable>;
  readonly strategy: MergeStrategy;
  readonly shown: string;
}

function mergeInside(context: Context, request: MergeRequest, chosen: Chosen): string {
  const { repository } = chosen;
  const source = refCommit(context, request, request.source, "ref");
  const destination = refCommit(context, request, request.branch, "branch");
  const base = findMergeBase(context, repository.name, source, destination);
  if (base === undefined) throw new LakefsError(500, "no merge base");
  if (source.treeId === base.treeId && !request.allowEmpty && !request.force) throw badRequest("no changes");
  const treeId = mergeTrees(context.trees(repository.name), {
    source: source.treeId,
    destination: destination.treeId,
    base: base.treeId,
    strategy: chosen.strategy,
  });
  if (treeId === undefined) throw new MergeConflict();
  const commit = {
    committer: request.committer,
    message: request.message === "" ? `Merge '${request.source}' into '${request.branch}'` : request.message,
    createdS: nowS(context),
    treeId,
    parents: request.squash ? [destination.id] : [destination.id, source.id],
    metadata: { ...request.metadata, ".lakefs.merge.strategy": chosen.shown },
    generation: Math.max(destination.generation, source.generation) + 1,
  };
  const id = addCommit(context.db, repository.name, commit);
  const event: HookEvent = {
    repository,
    event: "pre-merge",
    branch: request.branch,
    sourceRef: source.id,
    mergeSource: request.source,
    commitId: id,
    username: request.committer,
    commit,
  };
  const preRunId = runEvent(context, event);
  moveBranch(context, repository.name, request.branch, id);
  runAfter(context, { ...event, event: "post-merge", sourceRef: id, preRunId });
  return id;
}

function refCommit(context: Context, request: MergeRequest, ref: string, word: string): Commit {
  try {
    return resolveCommit(context, request.repository, ref);
  } catch (error) {
    throw within(`get commit by ${word} ${ref}`, error);
  }
}
