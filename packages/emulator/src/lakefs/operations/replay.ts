import { getBranch, moveBranch } from "../branches.ts";
import { addCommit, getCommit } from "../commits.ts";
import { nowS, type Context } from "../context.ts";
import { badRequest, dirtyBranch, LakefsError, within } from "../errors.ts";
import type { Commit, Repository } from "../model.ts";
import { checkBranchName, checkRef } from "../refs/names.ts";
import { resolveCommit } from "../refs/resolve.ts";
import { getWritable } from "../repositories.ts";
import { isDirty } from "../staging.ts";
import { mergeTrees } from "../tree/merge.ts";
import { guarded, runAfter, runEvent, type HookEvent } from "./guarded.ts";
import type { CommitOverrides, CommitRequest } from "./request.ts";

/** A revert or a cherry-pick: a commit's change, backwards or forwards, on the tip of a branch. */
export interface ReplayRequest extends CommitRequest {
  readonly ref: string;
  /** Which parent the change is against, counted from 1; undefined: the only one. */
  readonly parentNumber: number | undefined;
  readonly overrides: CommitOverrides;
}

interface Replay {
  readonly kind: "revert" | "cherry-pick";
  readonly original: Commit;
  /** Tree before and after the change that is replayed. */
  readonly from: string;
  readonly to: string;
  readonly message: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Takes a commit's change back with a new commit. Branch protection does not refuse it, as on the real server. */
export function revertCommit(context: Context, request: ReplayRequest): Commit {
  return replay(context, request, () => {
    const original = namedCommit(context, request);
    const number = request.parentNumber ?? 0;
    if (original.parents.length > 1 && number <= 0) {
      throw new LakefsError(409, "must specify 1-based parent number for reverting merge commit");
    }
    const parentTree = treeOfParent(context, request, original, number);
    const { overrides } = request;
    return {
      kind: "revert",
      original,
      from: original.treeId,
      to: parentTree,
      message: overrides.message ?? `Revert ${request.ref}`,
      metadata: overrides.metadata ?? {},
    };
  });
}

/** Makes a commit's change once more on a branch. Branch protection does not refuse it, as on the real server. */
export function cherryPick(context: Context, request: ReplayRequest): Commit {
  return replay(context, request, () => {
    const original = namedCommit(context, request);
    if (request.parentNumber === undefined && original.parents.length > 1) {
      throw badRequest("must specify 1-based parent number for cherry-picking merge commit");
    }
    const number = request.parentNumber ?? 1;
    if (number > original.parents.length) {
      throw badRequest(`parent ${number}: given commit does not have the given parent number`);
    }
    const { overrides } = request;
    return {
      kind: "cherry-pick",
      original,
      from: treeOfParent(context, request, original, number),
      to: original.treeId,
      message: overrides.message ?? original.message,
      metadata: {
        ...(overrides.metadata ?? original.metadata),
        "cherry-pick-origin": original.id,
        "cherry-pick-committer": original.committer,
      },
    };
  });
}

function namedCommit(context: Context, request: ReplayRequest): Commit {
  try {
    return resolveCommit(context, request.repository, request.ref);
  } catch (error) {
    throw within(`get commit from ref ${request.ref}`, error);
  }
}

function treeOfParent(context: Context, request: ReplayRequest, original: Commit, number: number): string {
  if (number > original.parents.length) {
    throw badRequest(`given commit does not have the given parent number: parent ${number}`);
  }
  const parent = original.parents[Math.max(number - 1, 0)];
  return parent === undefined ? "" : getCommit(context.db, request.repository, parent).treeId;
}

function replay(context: Context, request: ReplayRequest, plan: () => Replay): Commit {
  checkBranchName(request.branch);
  checkRef(request.ref);
  return guarded(context, () => {
    const repository = getWritable(context, request.repository, request.force);
    const planned = plan();
    const branch = getBranch(context, repository.name, request.branch);
    if (isDirty(context, repository.name, branch)) throw dirtyBranch();
    try {
      return replayInside(context, request, repository, planned);
    } catch (error) {
      throw within("update branch", error);
    }
  });
}

function replayInside(context: Context, request: ReplayRequest, repository: Repository, planned: Replay): Commit {
  const branch = getBranch(context, repository.name, request.branch);
  const head = getCommit(context.db, repository.name, branch.commitId);
  if (planned.from === planned.to && !request.allowEmpty) throw badRequest("no changes");
  const treeId = mergeTrees(context.trees(repository.name), {
    source: planned.to,
    destination: head.treeId,
    base: planned.from,
    strategy: "none",
  });
  if (treeId === undefined) throw new LakefsError(409, "conflict found");
  if (planned.kind === "revert" && treeId === head.treeId && !request.allowEmpty) throw badRequest("no changes");
  const commit = {
    committer: request.committer,
    message: planned.message,
    createdS: nowS(context),
    treeId,
    parents: [head.id],
    metadata: planned.metadata,
    generation: head.generation + 1,
  };
  const event: HookEvent = {
    repository,
    event: `pre-${planned.kind}`,
    branch: branch.name,
    sourceRef: branch.name,
    mergeSource: "",
    commitId: "",
    username: request.committer,
    commit,
  };
  const preRunId = runEvent(context, event);
  const id = addCommit(context.db, repository.name, commit);
  moveBranch(context, repository.name, branch.name, id);
  runAfter(context, { ...event, event: `post-${planned.kind}`, sourceRef: id, commitId: id, preRunId });
  return { ...commit, id };
}
