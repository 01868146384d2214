import { getBranch, moveBranch } from "../branches.ts";
import { addCommit, getCommit } from "../commits.ts";
import { nowS, type Context } from "../context.ts";
import { LakefsError, noChanges } from "../errors.ts";
import { setRunCommit } from "../hooks/runs.ts";
import type { Commit } from "../model.ts";
import { isProtected } from "../protection.ts";
import { checkBranchName } from "../refs/names.ts";
import { getRepository } from "../repositories.ts";
import { stagedFrom, unstage } from "../staging.ts";
import { applyChanges } from "../tree/apply.ts";
import { guarded, runAfter, runEvent, type HookEvent } from "./guarded.ts";
import type { CommitRequest } from "./request.ts";

/** A commit of what is staged. */
export interface StagedCommit extends CommitRequest {
  readonly message: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Seconds since 1970, instead of the server's time. */
  readonly dateS: number | undefined;
}

/** Commits what is staged on a branch. 403 on a protected branch, 412 where a hook refuses, 400 without changes. */
export function commitStaged(context: Context, request: StagedCommit): Commit {
  checkBranchName(request.branch);
  return guarded(context, () => commitInside(context, request));
}

function commitInside(context: Context, request: StagedCommit): Commit {
  const { db } = context;
  const repository = getRepository(context, request.repository);
  if (isProtected(context, repository.name, request.branch)) {
    throw new LakefsError(403, "cannot commit to protected branch");
  }
  if (repository.readOnly && !request.force) throw new LakefsError(403, "read-only repository");
  const draft = {
    committer: request.committer,
    message: request.message,
    createdS: request.dateS ?? nowS(context),
    metadata: request.metadata,
  };
  const event: HookEvent = {
    repository,
    event: "prepare-commit",
    branch: request.branch,
    sourceRef: request.branch,
    mergeSource: "",
    commitId: "",
    username: request.committer,
    commit: { ...draft, treeId: "", parents: [] },
  };
  runEvent(context, event);
  const branch = getBranch(context, repository.name, request.branch);
  const head = getCommit(db, repository.name, branch.commitId);
  const withParent = { ...event, commit: { ...event.commit, parents: [head.id] } };
  const preRunId = runEvent(context, { ...withParent, event: "pre-commit" });
  const changes = [...stagedFrom(context, repository.name, branch.name, "")];
  const applied = applyChanges(context.trees(repository.name), head.treeId, changes);
  if (applied.changedCount === 0 && !request.allowEmpty) throw noChanges("commit");
  const made = { ...draft, treeId: applied.treeId, parents: [head.id], generation: head.generation + 1 };
  const id = addCommit(db, repository.name, made);
  moveBranch(context, repository.name, branch.name, id);
  unstage(context, repository.name, branch.name, { prefix: "" });
  setRunCommit(context, repository.name, preRunId, id);
  runAfter(context, { ...event, event: "post-commit", sourceRef: id, commitId: id, preRunId, commit: made });
  return { ...made, id };
}
